"""js-yaml 4.1.0 itself, in one Node process, for what is held against it.

Install it by `npm install --prefix FOLDER js-yaml@4.1.0`, and set NODE_PATH to FOLDER/node_modules.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

VERSION = "4.1.0"

ANSWERS = r"""
const yaml = require("js-yaml"), {createHash} = require("crypto");
const written = (value) => {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value === "number") {
    if (Number.isFinite(value)) return JSON.stringify(value);
    return value !== value ? '{"nan":true}' : value > 0 ? '{"inf":true}' : '{"-inf":true}';
  }
  if (typeof value !== "object") return String(value);
  if (value instanceof Date) return JSON.stringify({date: value.toISOString()});
  if (Array.isArray(value)) return "[" + value.map(written).join(",") + "]";
  const names = Object.keys(value).sort();
  return "{" + names.map((name) => JSON.stringify(name.toWellFormed()) + ":" + written(value[name])).join(",") + "}";
};
const answer = (text) => {
  let documents;
  try { documents = yaml.loadAll(text); } catch (error) {
    return {reason: error.reason ?? String(error), line: error.mark?.line ?? null};
  }
  try { return {digest: createHash("sha256").update(written(documents)).digest("hex")}; } catch (error) {
    return {digest: error.name};
  }
};
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map(answer)));
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What js-yaml makes of a text: the SHA-256 of its documents as canonical JSON, or the reason and line (from 0)."""

    digest: str | None
    reason: str | None = None
    line: int | None = None


def missing() -> str | None:
    """Why js-yaml cannot be asked here; None where it can."""
    if shutil.which("node") is None:
        return "Node is not installed"
    found = _node("process.stdout.write(require('js-yaml/package.json').version)")
    if found.returncode != 0:
        return f"Node finds no js-yaml: npm install --prefix FOLDER js-yaml@{VERSION}, NODE_PATH=FOLDER/node_modules"
    version = found.stdout.decode()
    return None if version == VERSION else f"Node finds js-yaml {version}, not {VERSION}"


def answers(texts: Sequence[str]) -> list[Answer]:
    """What js-yaml makes of each text, all in one process."""
    done = _node(ANSWERS, json.dumps(texts).encode("ascii"))
    done.check_returncode()
    return [Answer(each.get("digest"), each.get("reason"), each.get("line")) for each in json.loads(done.stdout)]


def _node(program: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["node", "-e", program], input=stdin, capture_output=True, check=False, timeout=120)


WHY_MISSING = missing()
needs_js_yaml = pytest.mark.skipif(WHY_MISSING is not None, reason=WHY_MISSING or "")
