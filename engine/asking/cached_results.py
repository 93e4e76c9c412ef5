"""Cached answers and verdicts, which a plan does not request again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.blueprint.conversation import Conversation, ThreadTurn, Variant
from engine.evaluation.answer_stream import CachedAnswer, answer_key
from engine.evaluation.sources import FixtureSource, ModelSource
from engine.judging.judgement import Judgement
from engine.models.chat import USUAL_MAX_TOKENS, ChatRequest, ProviderError, Resolve, Turn
from engine.models.provider_registry import answering_place
from engine.text.record import Record

if TYPE_CHECKING:
    from engine.evaluation.fixtures import FixturePreview


def _nothing(_: str) -> None:
    return None


class CacheLookup(Record):
    """Functions that look up cached results by `engine.models.chat`. Both block and never raise disk errors.

    The key of an answer is that of `engine.evaluation.answer_stream.answer_key`. By default nothing is cached.
    """

    answer: Callable[[str], CachedAnswer | None] = _nothing
    judgement: Callable[[str], Judgement | None] = _nothing


NOTHING_CACHED = CacheLookup()


class KnownAnswers:
    """The answers of one plan that are known before its run: cached or saved ones.

    Methods block, and must be called in the order of the runs.
    """

    def __init__(
        self, cache: CacheLookup = NOTHING_CACHED, providers: Resolve | None = None, blueprint: Blueprint | None = None
    ) -> None:
        """`providers` resolves the models of the run."""
        self._cache = cache
        self._providers = providers
        self._custom = () if blueprint is None else blueprint.header.models
        self._prompts = () if blueprint is None else blueprint.prompts
        self._rehearsal: FixturePreview | None = None

    def reply(self, source: ModelSource, thread: Sequence[ThreadTurn], temperature: float) -> str | None:
        """The cached reply of the model to `thread`; None without one, or if the model is not available here.

        The request is the one that `engine.evaluation.answer_stream` would send.
        """
        if self._providers is None:
            return None
        try:
            provider, name = self._providers(source.model, source.base_url)
            place = answering_place(source.model, source.base_url, self._custom)
        except ProviderError:
            return None
        turns = tuple(Turn(turn.role, turn.content) for turn in thread)
        request = ChatRequest(name, turns, temperature, source.max_tokens or USUAL_MAX_TOKENS)
        found = self._cache.answer(answer_key(place, provider.recipient, request))
        return None if found is None else found.text

    def saved(
        self, prompt: Prompt, talk: Conversation, source: FixtureSource, variant: Variant
    ) -> tuple[ThreadTurn, ...] | None:
        """The conversation with the saved answer in it; None without a usable one."""
        if self._rehearsal is None:
            from engine.evaluation.fixtures import FixturePreview  # here, as it brings pydantic

            self._rehearsal = FixturePreview()
        return self._rehearsal.thread(prompt, talk, source, variant, self._prompts)
