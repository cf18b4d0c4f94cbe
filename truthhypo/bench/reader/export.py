"""Write a fitted encoder as one file: an ONNX model with weights of 8 bits, and its vocabulary and card as metadata."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from truthhypo.bench.reader.fitting import Encoder


def export(model: Encoder, vocabulary: Sequence[str], card: Mapping[str, Any], out: Path) -> None:
    """Write an encoder for `groundwork.reading.encoder.Encoder`.

    Matrices and embeddings are rounded to 7 bits, stored in 8, since processors without VNNI add products of 8 bits
    with saturation.

    Args:
        model: The fitted encoder.
        vocabulary: Its pieces, in the order of their numbers.
        card: The card of the fit; `threshold` and `threshold_any` are read by the program.
        out: The file to write.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    model.eval()
    ids = torch.tensor([[2, 4, 6, 20, 30, 7, 3]])
    ends = torch.tensor([[0, 0, 1, 0, 0, 2, 0]])
    length = torch.export.Dim("pieces", min=2, max=512)
    with TemporaryDirectory() as scratch:
        whole, plain, small = (Path(scratch) / name for name in ("whole.onnx", "plain.onnx", "small.onnx"))
        program = torch.onnx.export(
            model, (ids, ends), input_names=["ids", "ends"], output_names=["logits"],
            dynamic_shapes=({1: length}, {1: length}), dynamo=True, optimize=True,
        )  # fmt: skip
        program.save(str(whole))
        quant_pre_process(str(whole), str(plain), skip_symbolic_shape=True)
        quantize_dynamic(
            str(plain), str(small), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        )  # fmt: skip
        held = onnx.load(str(small))
    for key, value in (("vocabulary", "\n".join(vocabulary)), ("card", json.dumps(card, sort_keys=True))):
        held.metadata_props.add(key=key, value=value)
    held.doc_string = ""
    out.write_bytes(held.SerializeToString())
