"""Models run by transformers. The tests make a tiny model with random weights, so its text is noise."""

import pytest
from pydantic import BaseModel, ConfigDict

from groundwork.errors import InputError, ModelFaltered, ReplyError
from groundwork.llm import connect
from groundwork.llm.replies import ReplyFormat, Turn
from groundwork.settings import Settings

pytestmark = pytest.mark.models

TEMPLATE = "{% for m in messages %}<{{ m.role }}> {{ m.content }} <end>{% endfor %}<assistant>"


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    value: int


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<unk>", "<end>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(["a few words", '{"value": 4}'], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        eos_token_id=fast.eos_token_id,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def test_a_local_model_answers_and_noise_is_no_answer(folder):
    model = connect(f"huggingface:{folder}", Settings(model_tokens=8, model_cache=False))
    with pytest.raises(ReplyError, match="after one repair round"):
        model.ask("s", "p", Answer)
    usage = model.usage()
    assert (usage["calls"], usage["repairs"], usage["failed"]) == (2, 1, 1)
    assert usage["prompt_tokens"] > 100, "the schema is in the prompt"
    assert 0 < usage["completion_tokens"] <= 16


def test_a_local_model_says_the_same_for_the_same_seed(folder):
    from groundwork.llm.local import LocalChatProvider

    provider = LocalChatProvider("huggingface:tiny", str(folder), Settings(model_tokens=400))

    def say(seed, temperature):
        try:
            return provider.say([Turn("user", "p")], ReplyFormat(Answer, temperature, seed), 60, lambda *_: None)
        except ReplyError as error:
            return error.seen

    assert say(1, 0.9) == say(1, 0.9)
    assert say(1, 0.0) == say(2, 0.0)


def test_a_prompt_that_is_too_long_is_reported_before_the_model_runs(folder):
    with pytest.raises(ModelFaltered, match="prompt is too long"):
        connect(f"huggingface:{folder}", Settings(model_cache=False)).ask("s", "word " * 2000, Answer)


def test_a_local_model_stops_at_its_time_limit(folder):
    from groundwork.llm.local import LocalChatProvider

    provider = LocalChatProvider("huggingface:tiny", str(folder), Settings(model_tokens=100_000))
    with pytest.raises(TimeoutError):
        provider.say([Turn("user", "p")], ReplyFormat(Answer, 0.9, 1), 0.001, lambda *_: None)


def test_a_missing_local_model_is_reported(tmp_path):
    with pytest.raises(InputError, match=r"has no config\.json"):
        connect(f"huggingface:{tmp_path}", Settings(model_cache=False))
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_text("")
    with pytest.raises(InputError, match="cannot load"):
        connect(f"huggingface:{tmp_path}", Settings(model_cache=False)).ask("s", "p", Answer)


def test_a_folder_with_other_files_has_another_address(folder, tmp_path):
    from groundwork.llm.local import LocalChatProvider

    first = LocalChatProvider("huggingface:x", str(folder), Settings()).address
    assert first == LocalChatProvider("huggingface:x", str(folder), Settings()).address
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_text("other")
    assert first != LocalChatProvider("huggingface:x", str(tmp_path), Settings()).address
