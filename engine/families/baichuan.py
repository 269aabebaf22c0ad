"""Baichuan and Baichuan 2, 7B (arXiv 2309.10305): Llama's shape with one projection, ``W_pack``.

Baichuan 2 divides the rows of its head by their length; the larger vocabulary tells it apart. The
13B models place tokens by ALiBi instead of rotation and are not of this family.
"""

from __future__ import annotations

from engine.contract.faults import EngineError, FaultKind
from engine.families.config import Config
from engine.families.gguf import LAYER_NAMES, GgufLayout
from engine.families.parts import Parts
from engine.families.sizes import Sizes
from engine.families.weights_in import WeightsIn
from engine.layers.block import Block
from engine.layers.decoder import Decoder

GGUF = GgufLayout(LAYER_NAMES, interleaved=("self_attn.q_proj", "self_attn.k_proj"))
VOCABULARY_2 = 125696


def build(config: Config, weights: WeightsIn, context: int) -> Decoder:
    """Build the model; ``context`` is the longest sequence that will be run.

    Raises:
        EngineError: ``ARCHITECTURE_UNKNOWN`` for a 13B model.
    """
    if config.count("num_hidden_layers") >= 40:
        path = str(config.path)
        raise EngineError(
            FaultKind.ARCHITECTURE_UNKNOWN, path=path, architecture="baichuan 13B (ALiBi)"
        )
    parts = Parts(config, weights, Sizes.of(config))
    rotary, activation = parts.rotary(context), parts.activation()

    def block(layer: int) -> Block:
        at = f"model.layers.{layer}"
        # llama.cpp's files hold three projections
        fused = "W_pack" if weights.has(f"{at}.self_attn.W_pack.weight") else None
        attention = parts.attention(f"{at}.self_attn", layer, rotary, fused=fused)
        return parts.pre_norm(at, attention, parts.gated(f"{at}.mlp", activation))

    return parts.decoder(block, unit_head=config.count("vocab_size", 1) == VOCABULARY_2)
