"""A handful of records that the search room's tests look for."""

from __future__ import annotations

from errdex.search.protocol import IndexDocument

RAGGED = IndexDocument(
    record_id="b50cfdfc33be0e10",
    message="--enable-linear-replayssm-spec is not supported on a PD prefill server: the ring "
    "is spec-verify-only scratch and the prefill server never runs spec verify.",
    repo="sgl-project/sglang",
    error_class="ValueError",
    error_type="validation",
    severity="error",
    language="python",
    background_tag="unsupported-feature-combination",
    file_path="python/sglang/srt/server_args.py",
    function="ServerArgs.check",
    tags=("sglang", "replayssm", "pd-disaggregation"),
    explanation="The prefill server never executes spec verify, so allocating it is invalid.",
    solutions="Remove the flag from the prefill server's args.",
)
TOPK = IndexDocument(
    record_id="212f8ca52812d7d5",
    message="speculative_eagle_topk must be 1 with {cfg.attention_backend!r}",
    repo="sgl-project/sglang",
    error_class="ValueError",
    error_type="validation",
    severity="error",
    language="python",
    file_path="python/sglang/srt/server_args.py",
    tags=("sglang", "speculative-decoding"),
    explanation="Only a single branch can be verified by this backend.",
    solutions="Set it to 1\nOr choose another backend.",
)
MODULE = IndexDocument(
    record_id="0000000000000001",
    message="No module named '{name}'",
    repo="python/cpython",
    error_class="ModuleNotFoundError",
    error_type="import",
    severity="error",
    language="python",
    file_path="Lib/importlib/_bootstrap.py",
    tags=("import", "packaging"),
    explanation="The interpreter has looked in every folder of its path. See TS2345 for the like.",
    solutions="Install the package into the environment that runs.",
)
NODE = IndexDocument(
    record_id="0000000000000002",
    message="Cannot find package '{name}' imported from {file}",
    repo="nodejs/node",
    error_class="Error",
    error_code="ERR_MODULE_NOT_FOUND",
    error_type="import",
    severity="error",
    language="javascript",
    file_path="lib/internal/modules/esm/resolve.js",
    tags=("import", "esm"),
    explanation="The resolver found no such package.",
    solutions="Install the package.",
)
LOCKED = IndexDocument(
    record_id="0000000000000003",
    message="(sqlite3.OperationalError) database is locked",
    repo="sqlalchemy/sqlalchemy",
    error_class="sqlalchemy.exc.OperationalError",
    error_type="database",
    severity="fatal",
    language="python",
    file_path="lib/sqlalchemy/engine/default.py",
    tags=("sqlite", "Locking"),
    explanation="Another connection is writing. Errors like this pass.",
    solutions="Set a busy timeout.",
)
BORROW = IndexDocument(
    record_id="0000000000000004",
    message="borrow of moved value: `{name}`",
    repo="rust-lang/rust",
    error_code="E0382",
    severity="error",
    language="rust",
    tags=("borrow-checker",),
    explanation="The value was moved and std::bad_alloc has nothing to do with it. Not C++.",
    solutions="Clone it.",
)
CHINESE = IndexDocument(
    record_id="0000000000000005",
    message="显存不足：无法分配 {size} 字节",
    repo="example/显存",
    error_class="torch.cuda.OutOfMemoryError",
    severity="warning",
    language="python",
    tags=("gpu",),
    explanation="Der Speicher der Größe nach verfügbar, naïve Schätzung.",
)
BARE = IndexDocument(
    record_id="0000000000000006", message="", repo="", error_class="AssertionError"
)

ALL = (RAGGED, TOPK, MODULE, NODE, LOCKED, BORROW, CHINESE, BARE)
