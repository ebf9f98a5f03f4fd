"""Makes the environment for the reproductions that need packages: `python prepare.py`.

A virtual environment and a folder of Node.js packages, outside of the repository:
`~/.cache/errdex/reproductions`, or the folder that ERRDEX_REPRODUCTIONS names. About
4 GB, most of it PyTorch. Tools of the system are not installed; what is missing is
skipped by the tests with a reason. On Debian all of them come with

    apt-get install build-essential cmake clang curl openssh-client openssh-server openssl \\
        golang-go default-jdk-headless maven php-cli composer ruby ruby-bundler postgresql \\
        mariadb-server redis-server nginx-light sqlite3 zsh dash awscli elixir lua5.4 \\
        r-base-core
"""

from __future__ import annotations

import subprocess
import sys
import venv

from tests.reproductions.running import HERE, PREPARED


def main() -> None:
    """Creates or completes both parts; raises CalledProcessError when a client fails."""
    python = PREPARED / "python"
    if not (python / "bin/python").exists():
        venv.create(python, with_pip=True)
    wanted = HERE / "requirements-reproductions.txt"
    subprocess.run([python / "bin/python", "-m", "pip", "install", "-r", wanted], check=True)
    node = PREPARED / "node"
    node.mkdir(parents=True, exist_ok=True)
    packages = (HERE / "npm-packages.txt").read_text(encoding="utf-8").split()
    subprocess.run(["npm", "install", "--prefix", node, "--no-audit", *packages], check=True)


if __name__ == "__main__":
    sys.exit(main())
