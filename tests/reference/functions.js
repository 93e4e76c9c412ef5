// The point functions as platform.md (A8-A10, A27-A28, A37) describes them, in the language in which they are meant.
// stdin: [{fn, args, absent, text}], numbers that JSON lacks as {"number": "NaN"}; stdout: [extent | "NaN" (infinities too) | "error"].
const vm = require("vm");

process.on("unhandledRejection", () => {}); // a script may leave one behind

const isText = (value) => typeof value === "string";
const isNumber = (value) => typeof value === "number";
const areTexts = (value) => Array.isArray(value) && value.every(isText);
const demand = (condition) => { if (!condition) throw new Error("no such argument"); };
const clamped = (number) => Math.max(0, Math.min(1, number));

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const asWord = (flags) => (text, word) =>
  word === "" || new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(word)}(?![\\p{L}\\p{N}_])`, flags).test(text);
const anyCase = (search) => (text, wanted) => search(text.toLowerCase(), wanted.toLowerCase());
const contains = (text, wanted) => text.includes(wanted);
const startsWith = (text, wanted) => text.startsWith(wanted);
const endsWith = (text, wanted) => text.endsWith(wanted);

const ONE = {
  contains, icontains: anyCase(contains), contains_word: asWord("u"), icontains_word: asWord("iu"),
  starts_with: startsWith, istarts_with: anyCase(startsWith), ends_with: endsWith, iends_with: anyCase(endsWith),
  matches: (text, pattern) => new RegExp(pattern).test(text),
  imatches: (text, pattern) => new RegExp(pattern, "i").test(text),
};
const found = (search, text, all) => all.map((wanted) => search(text, wanted)).filter(Boolean).length;

const FUNCTIONS = {};
for (const [name, search] of Object.entries(ONE))
  FUNCTIONS[name] = (text, wanted) => { demand(isText(wanted)); return search(text, wanted); };
for (const name of ["contains", "icontains", "matches", "imatches"]) {
  const search = ONE[name];
  FUNCTIONS[`${name}_any_of`] = (text, all) => { demand(areTexts(all)); return found(search, text, all) > 0; };
  FUNCTIONS[`${name}_all_of`] = (text, all) => {
    demand(areTexts(all));
    return all.length ? found(search, text, all) / all.length : 1;
  };
  FUNCTIONS[`${name}_at_least_n_of`] = (text, args) => {
    demand(Array.isArray(args) && args.length === 2 && isNumber(args[0]) && areTexts(args[1]));
    const [least, all] = args;
    if (least <= 0) return 1;
    return all.length ? Math.min(1, found(search, text, all) / least) : 0;
  };
}

FUNCTIONS.word_count_between = (text, args) => {
  demand(Array.isArray(args) && args.length === 2 && args.every(isNumber));
  const [low, high] = args;
  demand(!(low < 0 || high < low)); // NaN is neither, and lets all else pass
  const words = (text.match(/\S+/g) ?? []).length;
  if (words < low) return words / low;
  return words > high ? (high === 0 ? 0 : high / words) : 1;
};

FUNCTIONS.is_json = (text) => {
  try { const value = JSON.parse(text); return typeof value === "object" && value !== null; } catch { return false; }
};

FUNCTIONS.js = (text, source) => {
  demand(isText(source));
  const world = vm.createContext({r: text, response: text, context: {messages: [], modelId: "test-model"}});
  let value;
  try { value = vm.runInContext(source, world, {timeout: 1000}); } catch (error) {
    if (!error.message.includes("Illegal return statement")) throw error;
    value = vm.runInContext(`(() => {\n${source}\n})()`, world, {timeout: 1000});
  }
  if (value === undefined) return false;
  if (typeof value === "object" && value !== null && "score" in value) {
    const own = {...value};
    const {score} = own;
    demand(!("error" in own) && (isNumber(score) || typeof score === "boolean"));
    let settled = score;
    if (typeof own.then === "function") own.then((result) => { settled = result; }, (error) => { throw error; });
    demand(isNumber(settled) || typeof settled === "boolean");
    return clamped(Number(settled));
  }
  demand(isNumber(value) || typeof value === "boolean");
  return clamped(Number(value));
};

const callsIn = (text) => text.split(/\r?\n/).map((line) => line.trim()).flatMap((line) => {
  if (!line.startsWith("TOOL_CALL ")) return [];
  try {
    const call = JSON.parse(line.slice("TOOL_CALL ".length).trim());
    return call && isText(call.name) ? [call] : [];
  } catch { return []; }
});

FUNCTIONS.tool_called = (text, name) => {
  demand(isText(name) && name);
  return callsIn(text).some((call) => call.name === name);
};

FUNCTIONS.tool_call_count_between = (text, args) => {
  const [low, high, name] = Array.isArray(args) ? args : [];
  const calls = callsIn(text).filter((call) => !name || call.name === name);
  return calls.length >= (isNumber(low) ? low : 0) && calls.length <= (isNumber(high) ? high : Infinity);
};

FUNCTIONS.tool_call_order = (text, args) => {
  const names = Array.isArray(args) ? args.filter(isText) : [];
  demand(names.length);
  let reached = 0;
  for (const call of callsIn(text)) if (reached < names.length && call.name === names[reached]) reached++;
  return reached === names.length;
};

const fits = (pattern, value, anySpace) => {
  if (pattern && typeof pattern === "object")
    return Object.keys(pattern).every((key) => key in value && fits(pattern[key], value[key], anySpace));
  const bare = (text) => anySpace && isText(text) ? text.replace(/\s+/g, "") : text;
  return bare(pattern) === bare(value);
};

FUNCTIONS.tool_args_match = (text, args) => {
  demand(args && typeof args === "object" && args.name);
  const {name, where, normalizeWhitespace} = args;
  const holds = (value) => {
    try { return Boolean(new Function("args", `return (${where})`)(value)); } catch { return false; }
  };
  return callsIn(text).filter((call) => call.name === name && call.arguments != null).some((call) => {
    if (isText(where)) return where !== "" && holds(call.arguments);
    return Boolean(where) && typeof where === "object" && fits(where, call.arguments, normalizeWhitespace);
  });
};

const read = (value) => {
  if (!value || typeof value !== "object") return value;
  if (isText(value.number)) return Number(value.number);
  return Array.isArray(value) ? value.map(read) : Object.fromEntries(Object.entries(value).map(([k, v]) => [k, read(v)]));
};

const answer = ({fn, args, absent, text}) => {
  const isTwin = fn.startsWith("not_");
  let extent;
  try { extent = Number(FUNCTIONS[isTwin ? fn.slice(4) : fn](text, absent ? undefined : read(args))); } catch { return "error"; }
  if (isTwin) extent = 1 - extent;
  return Number.isFinite(extent) ? extent : "NaN";
};

const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(rows.map(answer)));
