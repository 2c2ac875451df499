"""A fitted transform as an ONNX file, for runtimes in other languages."""

from __future__ import annotations

import numpy as np

from .affine import AffineMap

OPSET = 17
IR_VERSION = 8  # version of the file format; older runtimes read it too
INPUT, OUTPUT = "embeddings", "transformed"


def onnx_bytes(affine: AffineMap) -> bytes:
    """The ONNX model: "embeddings" (n, d) float32 to "transformed" (n, k) float32."""
    from onnx import TensorProto, checker, helper, numpy_helper

    d, k = affine.matrix.shape
    arrays = {"offset": affine.offset, "matrix": affine.matrix}
    graph = helper.make_graph(
        [
            helper.make_node("Sub", [INPUT, "offset"], ["centred"]),
            helper.make_node("MatMul", ["centred", "matrix"], [OUTPUT]),
        ],
        "transform",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", d])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", k])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in arrays.items()],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    helper.set_model_props(model, dict(affine.about))
    checker.check_model(model)
    return bytes(model.SerializeToString())
