"""A LangChain chat model behind the port `LanguageModel`.

Structured output is asked for by JSON schema, and what comes back is read strictly by `replies`, whatever the
provider promised. Errors of drivers are mapped here: no caller above ever sees one.

Importing this takes seconds (LangChain, openai), so `llm.connect` does it only when a model is wanted.
"""

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, TypeVar

import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from groundwork.deadline import within
from groundwork.errors import ReplyError
from groundwork.refusals import DRIVER_ERRORS, MISREADINGS, clipped, explained
from groundwork.replies import Turn, converse
from groundwork.settings import Settings

Shape = TypeVar("Shape", bound=BaseModel)


class ChatModel:
    """A LangChain chat model as a `LanguageModel`; safe to use from several threads.

    Args:
        name: As it is printed and stored.
        chat: The LangChain model.
        structured: Arguments for `with_structured_output` beyond the JSON schema.
        settings: The time limit, and the address and key for error messages.
    """

    def __init__(self, name: str, chat: BaseChatModel, structured: Mapping[str, Any], settings: Settings) -> None:
        self.name = name
        self._chat = chat
        self._structured = dict(structured)
        self._settings = settings
        self._lock = Lock()
        self._usage = {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "repairs": 0}

    def ask(self, system: str, prompt: str, shape: type[Shape], *, temperature: float = 0.0, seed: int = 0) -> Shape:
        """One answer as a typed value; see `LanguageModel.ask`.

        Raises:
            ReplyError: The reply did not fit the second time either.
            ModelUnreachable: The model is not there, or refuses us.
            TimeLimit: A call, with all retries of the client, ran past the setting `model_timeout`.
        """
        wanted = {"temperature": temperature, "seed": seed}
        fields = type(self._chat).model_fields
        chat = self._chat.model_copy(update={name: value for name, value in wanted.items() if name in fields})
        structured = chat.with_structured_output(
            shape.model_json_schema(), method="json_schema", include_raw=True, **self._structured
        )

        def say(turns: Sequence[Turn]) -> str:
            self._count(calls=1)
            try:
                answer: Any = within(
                    self._settings.model_timeout, lambda: structured.invoke(list(map(_message, turns)))
                )
            except openai.LengthFinishReasonError as error:
                self._count_tokens(error.completion.usage)
                limit = self._settings.model_tokens
                raise _no_reply(f"broken off after {limit} tokens (the setting model_tokens)") from None
            except openai.ContentFilterFinishReasonError:
                raise _no_reply("stopped by the provider's content filter") from None
            except (*DRIVER_ERRORS, *MISREADINGS) as error:
                raise explained(error, self.name, self._settings) from None
            return self._text(answer["raw"])

        return converse(say, system, prompt, shape, lambda: self._count(repairs=1))

    def usage(self) -> dict[str, int]:
        """Calls, prompt tokens, completion tokens and repairs since the model was made."""
        with self._lock:
            return dict(self._usage)

    def _text(self, message: AIMessage) -> str:
        tokens = message.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
        self._count(prompt_tokens=tokens["input_tokens"], completion_tokens=tokens["output_tokens"])
        refusal = message.additional_kwargs.get("refusal")
        if refusal:
            raise _no_reply(f"refused by the model: {clipped(refusal)}")
        return message.text

    def _count_tokens(self, usage: Any) -> None:
        if usage is not None:
            self._count(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)

    def _count(self, **amounts: int) -> None:
        with self._lock:
            for name, amount in amounts.items():
                self._usage[name] += amount


def _message(turn: Turn) -> BaseMessage:
    classes: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return classes[turn.role](content=turn.text)


def _no_reply(reason: str) -> ReplyError:
    return ReplyError(f"the reply was {reason}", "a whole reply", "ask a shorter question or another model")
