"""Entailment models in the formats of transformers: tiny ones with random weights, made by the tests.

They show that files are found, read, batched and scored correctly. The answers of such a model are random, so these
tests do not measure a trained model (none is available without a network).
"""

from pathlib import Path

import pytest

from groundwork.errors import InputError, ModelUnreachable
from groundwork.settings import Settings
from knowhd.check import Checker
from knowhd.entailment import Verifier
from knowhd.judge import CONTRARY
from knowhd.judges import connect
from tests.knowhd.test_check import obeys

pytestmark = pytest.mark.models

WORDS = [
    "aspirin",
    "metformin",
    "treats",
    "causes",
    "headache",
    "heart",
    "attack",
    "predict",
    ":",
    "0",
    "1",
    ".",
    "</s>",
]
LABELS = {0: "contradiction", 1: "neutral", 2: "entailment"}
PAIRS = [
    ("aspirin treats headache.", "aspirin treats headache."),
    ("metformin", "aspirin causes heart attack."),
    ("", "a"),
]


def tokenizer(folder: Path, **marks):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if "eos_token" not in marks:
        ends = [("[CLS]", 2), ("[SEP]", 3)]
        made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ends)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", **marks
    )
    wrapped.save_pretrained(folder)
    return len(vocabulary)


def classifier(folder: Path, labels: dict[int, str], positions: int = 64) -> str:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=tokenizer(folder),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=positions,
        id2label=labels,
        label2id={label: number for number, label in labels.items()},
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


def answerer(folder: Path) -> str:
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(0)
    config = T5Config(
        vocab_size=tokenizer(folder, eos_token="</s>"), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2
    )
    config.decoder_start_token_id = config.pad_token_id = 0
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


def test_a_classifier_gives_a_probability_for_each_stance_whatever_the_batch(tmp_path):
    folder = classifier(tmp_path, LABELS)
    alone, together = Verifier(f"nli:{folder}", "cpu", 1), Verifier(f"nli:{folder}", "cpu", 8)
    scores = together.score(PAIRS)
    assert [set(score) for score in scores] == [{"supports", "contradicts"}] * 3
    assert all(0 <= p <= 1 for score in scores for p in score.values())
    assert all(sum(score.values()) < 1 for score in scores), "neutral has its share"
    for one, other in zip(alone.score(PAIRS), scores, strict=True):
        assert one == pytest.approx(other, abs=1e-5)
    assert len({round(score["supports"], 6) for score in scores}) == 3


def test_a_model_is_loaded_without_output(tmp_path, capfd):
    folder = classifier(tmp_path, LABELS)
    capfd.readouterr()
    Verifier(f"nli:{folder}", "cpu")
    assert capfd.readouterr() == ("", "")


def test_the_probabilities_of_a_verifier_are_those_of_its_model(tmp_path):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = classifier(tmp_path, LABELS)
    reader, model = AutoTokenizer.from_pretrained(folder), AutoModelForSequenceClassification.from_pretrained(folder)
    with torch.inference_mode():
        expected = torch.softmax(model(**reader(*PAIRS[0], return_tensors="pt")).logits, -1)[0]
    (score,) = Verifier(f"nli:{folder}", "cpu").score(PAIRS[:1])
    assert score == pytest.approx({"contradicts": expected[0].item(), "supports": expected[2].item()}, abs=1e-6)


def test_the_window_leaves_room_for_special_tokens(tmp_path):
    verifier = Verifier(f"nli:{classifier(tmp_path, LABELS, positions=40)}", "cpu")
    assert verifier.window == 32
    assert verifier.length("aspirin treats headache.") == 4


def test_labels_without_meaning_are_refused_except_for_minicheck(tmp_path):
    folder = classifier(tmp_path, {0: "LABEL_0", 1: "LABEL_1"})
    with pytest.raises(InputError, match="LABEL_0"):
        Verifier(f"nli:{folder}", "cpu")
    scores = Verifier(f"minicheck:{folder}", "cpu").score(PAIRS)
    assert [set(score) for score in scores] == [{"supports"}] * 3


@pytest.mark.parametrize(("kind", "labels"), [("nli", LABELS), ("minicheck", {0: "LABEL_0", 1: "LABEL_1"})])
def test_an_encoder_without_a_trained_classifier_is_refused(kind, labels, tmp_path):
    from transformers import BertConfig, BertModel

    folder = classifier(tmp_path, labels)
    BertModel(BertConfig.from_pretrained(folder)).save_pretrained(folder)
    with pytest.raises(InputError, match=r"classifier\.weight"):
        Verifier(f"{kind}:{folder}", "cpu")


def test_a_classifier_with_a_decoder_is_read_like_any_other(tmp_path):
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, BartConfig
    from transformers import BartForSequenceClassification as Bart

    torch.manual_seed(0)
    size = tokenizer(tmp_path)
    sizes = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "max_position_embeddings": 64}
    marks = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 3}
    Bart(BartConfig(vocab_size=size, id2label=LABELS, **sizes, **heads, **marks)).save_pretrained(tmp_path)
    reader, model = (kind.from_pretrained(tmp_path) for kind in (AutoTokenizer, AutoModelForSequenceClassification))
    read = reader(*PAIRS[0], return_tensors="pt", return_token_type_ids=False)
    with torch.inference_mode():
        expected = torch.softmax(model.eval()(**read).logits, -1)[0]
    (score,) = Verifier(f"nli:{tmp_path}", "cpu").score(PAIRS[:1])
    assert score == pytest.approx({"contradicts": expected[0].item(), "supports": expected[2].item()}, abs=1e-6)


def test_a_t5_verifier_answers_by_the_odds_of_one_and_zero(tmp_path):
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    folder = answerer(tmp_path)
    verifier = Verifier(f"minicheck:{folder}", "cpu")
    reader, model = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    premise, claim = PAIRS[0]
    asked = reader(f"predict: {premise}</s>{claim}", return_tensors="pt")
    with torch.inference_mode():
        logits = model(**asked, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    no, yes = (reader.convert_tokens_to_ids(digit) for digit in "01")
    expected = torch.softmax(logits[[no, yes]], -1)[1].item()
    assert verifier.score(PAIRS[:1]) == [{"supports": pytest.approx(expected, abs=1e-6)}]
    assert verifier.score(PAIRS)[0]["supports"] == pytest.approx(expected, abs=1e-5)
    with pytest.raises(InputError, match="generates text"):
        Verifier(f"nli:{folder}", "cpu")


def test_a_missing_model_or_device_is_reported_with_what_to_check(tmp_path):
    with pytest.raises(ModelUnreachable, match=r"(?s)no downloaded model no-one/no-such-model.*HF_HUB_OFFLINE"):
        Verifier("nli:no-one/no-such-model")
    with pytest.raises(InputError, match="no device 'abacus'"):
        Verifier(f"nli:{classifier(tmp_path, LABELS)}", "abacus")


def test_a_text_is_judged_by_a_local_model_from_end_to_end(stores, tmp_path):
    judge = connect(f"nli:{classifier(tmp_path, LABELS, positions=512)}", stores.graph, Settings(judge_device="cpu"))
    checker = Checker(stores.graph, stores.literature, judge=judge)
    shape = obeys(checker.check("Aspirin treats headache. Aspirin causes myocardial infarction."))
    assert shape["model"] == f"nli:{tmp_path.resolve()}"
    assert not any("failed" in claim["verdicts"].values() for claim in shape["claims"])
    pieces = [piece for claim in shape["claims"] for each in claim["evidence"].values() for piece in each]
    sides = [piece for piece in pieces if piece["stance"]]
    assert sides
    assert all(piece["stance"] in CONTRARY and piece["probability"] >= 0.5 for piece in sides)
    assert all(piece["probability"] is None for piece in pieces if piece not in sides)
    assert checker.check("Aspirin treats headache.") == checker.check("Aspirin treats headache.")
