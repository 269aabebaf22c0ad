"""Which checkpoints transformers can run for us, and how they are loaded.

Only architectures that transformers itself implements; code that comes with a checkpoint is never
run. Only safetensors. Every tensor that the architecture needs must be in the file: transformers
would fill a missing one with random numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.contract.faults import EngineError, FaultKind, Notice, NoticeKind
from engine.families.compatible.causal import CausalModel
from engine.families.compatible.encoder_decoder import EncoderDecoderModel
from engine.families.compatible.placing import device_map
from engine.families.model import Model
from engine.families.spread import Spread
from engine.families.weights_in import Progress
from engine.kernels.allocation import is_out_of_memory
from engine.kernels.interface import Kernels
from engine.storage.checkpoint import Checkpoint

CONTEXT_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_sequence_length",
    "max_seq_len",
    "seq_length",
    "context_length",
    "n_ctx",
)
UNBOUNDED_CONTEXT = 32768
"""For models whose positions have no end: ALiBi, recurrence."""


def load_compatible(
    checkpoint: Checkpoint, kernels: Kernels, progress: Progress, spread: Spread | None = None
) -> Model:
    """Load a checkpoint into transformers' own code.

    Args:
        checkpoint: the model's folder.
        kernels: their device and dtype.
        progress: called with (bytes read, bytes to read).
        spread: asked which devices hold which layers; None: the kernels' device holds all.

    Raises:
        EngineError: ``ARCHITECTURE_UNKNOWN``, ``REMOTE_CODE_REFUSED``,
            ``QUANTIZATION_UNSUPPORTED``, ``TENSOR_MISSING``, ``CONFIG_INVALID``.
    """
    config = checkpoint.metadata
    kind = _auto_class(checkpoint)
    quantization = config.get("quantization_config")
    if quantization is not None:
        known = isinstance(quantization, Mapping)
        method = str(quantization.get("quant_method")) if known else str(quantization)
        raise EngineError(
            FaultKind.QUANTIZATION_UNSUPPORTED, path=str(checkpoint.path), quantization=method
        )
    total = sum(checkpoint.nbytes(name) for name in checkpoint.names())
    progress(0, total)
    module = _module(checkpoint, kind, kernels, spread)
    progress(total, total)
    architecture = str(config.get("model_type"))
    notice = Notice(
        NoticeKind.COMPATIBILITY_MODE,
        {"architecture": architecture, "reason": "no family of our own"},
    )
    context = _context(config)
    if module.config.is_encoder_decoder:
        return EncoderDecoderModel(module, 2 * context, (notice,))
    return CausalModel(module, context, (notice,))


def _auto_class(checkpoint: Checkpoint) -> Any:
    """The class of transformers that loads the checkpoint."""
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM  # noqa: PLC0415
    from transformers.models.auto import modeling_auto as auto  # noqa: PLC0415

    config, path = checkpoint.metadata, str(checkpoint.path)
    kind = str(config.get("model_type", config.get("general.architecture", "")))
    causal = kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    pairs = kind in auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES
    if checkpoint.format != "safetensors" or not (causal or pairs):
        if "auto_map" in config:
            raise EngineError(FaultKind.REMOTE_CODE_REFUSED, path=path, detail=kind)
        raise EngineError(FaultKind.ARCHITECTURE_UNKNOWN, path=path, architecture=kind)
    is_pair = pairs and (not causal or config.get("is_encoder_decoder", True))
    return AutoModelForSeq2SeqLM if is_pair else AutoModelForCausalLM


def _module(checkpoint: Checkpoint, kind: Any, kernels: Kernels, spread: Spread | None) -> Any:
    """The model on its devices; accelerate moves what goes from one to another."""
    from transformers.utils import logging  # noqa: PLC0415

    folder = checkpoint.path if checkpoint.path.is_dir() else checkpoint.path.parent
    logging.disable_progress_bar()
    try:
        placement = {}
        if spread is not None or kernels.device.type != "cpu":
            placement["device_map"] = device_map(kind, folder, kernels, spread)
        module, report = kind.from_pretrained(
            folder,
            dtype=kernels.dtype,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
            **placement,
        )
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError) as error:
        if is_out_of_memory(error):
            raise
        path, detail = (
            str(checkpoint.path),
            (str(error).strip() or type(error).__name__).splitlines()[0],
        )
        raise EngineError(FaultKind.CONFIG_INVALID, path=path, detail=detail) from error
    missing = sorted(report["missing_keys"])
    if missing:
        path = str(checkpoint.path)
        raise EngineError(FaultKind.TENSOR_MISSING, path=path, tensor=missing[0])
    return module.eval()


def _context(config: Mapping[str, Any]) -> int:
    for key in CONTEXT_KEYS:
        value = config.get(key)
        if isinstance(value, int) and value > 0:
            return value
    return UNBOUNDED_CONTEXT
