"""A fitted transform as an ONNX file, for runtimes in other languages."""

import json

import numpy as np

from ..errors import need
from .affine import FINGERPRINT, AffineMap, arrays

OPSET = 17
IR_VERSION = 8  # version of the file format; older runtimes read it too
INPUT, OUTPUT = "embeddings", "transformed"


def onnx_bytes(affine: AffineMap) -> bytes:
    """The ONNX model: "embeddings" (n, d) float32 to "transformed" (n, k) float32.

    Its metadata have how it was fitted, and mean, deviations and number of the rows of the fit.
    """
    need("onnx", "onnx")
    from onnx import TensorProto, checker, helper, numpy_helper

    parts = arrays(affine)
    of_fit = {name: json.dumps(parts.pop(name).tolist()) for name in FINGERPRINT if name in parts}
    centred = "centred" if "matrix" in parts else OUTPUT
    nodes = [helper.make_node("Sub", [INPUT, "offset"], [centred])]
    if "matrix" in parts:
        nodes.append(helper.make_node("MatMul", ["centred", "matrix"], [OUTPUT]))
    graph = helper.make_graph(
        nodes,
        "transform",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", len(affine.offset)])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", affine.width])],
        [numpy_helper.from_array(part.astype(np.float32), name) for name, part in parts.items()],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    helper.set_model_props(model, {**affine.about, **of_fit})
    checker.check_model(model)
    return bytes(model.SerializeToString())
