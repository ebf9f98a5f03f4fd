"""The package of a frame, by the folder that its manager unpacked it into."""

from __future__ import annotations

from errdex.matching.installed_packages import installed_package
from errdex.matching.model import Frame

NAMED = {
    "/home/ada/.venv/lib/python3.12/site-packages/pandas/core/frame.py": ("pip", "pandas", None),
    "/usr/lib/python3/dist-packages/apt_pkg.cpython-311-x86_64.so": ("pip", "apt_pkg", None),
    "/opt/py/site-packages/six.py": ("pip", "six", None),
    r"C:\Users\ada\env\Lib\site-packages\cv2\__init__.py": ("pip", "opencv-python", None),
    "/home/ada/shop/node_modules/express/lib/router/index.js": ("npm", "express", None),
    "/home/ada/shop/node_modules/a/node_modules/@babel/core/lib/x.js": ("npm", "@babel/core", None),
    "/shop/node_modules/.pnpm/@vue+compiler-sfc@3.4.1/node_modules/@vue/compiler-sfc/x.js":
        ("npm", "@vue/compiler-sfc", None),
    "file:///shop/node_modules/vite/dist/node/chunks/dep-1.js": ("npm", "vite", None),
    "/usr/lib/gems/active_record-7.0.4.3/x.rb": ("gem", "active_record", "7.0.4.3"),
    "/home/ada/.rbenv/versions/3.2.2/lib/ruby/gems/3.2.0/gems/net-http-persistent-4.0.2/lib/p.rb":
        ("gem", "net-http-persistent", "4.0.2"),
    "/shop/vendor/guzzlehttp/guzzle/src/Client.php": ("composer", "guzzlehttp/guzzle", None),
    "/home/ada/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde_json-1.0.120/src/de.rs":
        ("cargo", "serde_json", "1.0.120"),
    "/home/ada/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/decode.go":
        ("go", "github.com/BurntSushi/toml", "v1.3.2"),
    "/shop/vendor/github.com/gin-gonic/gin/c.go": ("go", "github.com/gin-gonic/gin", None),
    "package:provider/src/provider.dart": ("pub", "provider", None),
    "/home/ada/.pub-cache/hosted/pub.dev/http-1.2.0/lib/src/client.dart": ("pub", "http", "1.2.0"),
    "deps/ecto/lib/ecto/repo.ex": ("hex", "ecto", None),
}  # fmt: skip
OWN = (
    None,
    "",
    "app.py",
    "/home/ada/site-packages.py",
    "/home/ada/shop/src/vendor.php",
    "/usr/lib/python3.11/json/decoder.py",
    "node:internal/modules/cjs/loader",
    "Main.java",
    "/shop/node_modules/.bin/",
    "/x/site-packages/" + "long" * 500 + "/a.py",
    "/x/site-packages/../../etc/passwd",
    "/x/node_modules/`rm -rf ~`/a.js",
)


def test_a_path_names_its_package() -> None:
    found = {path: installed_package(Frame(path)) for path in NAMED}
    assert {path: tuple(each) if each else None for path, each in found.items()} == NAMED


def test_other_paths_name_none() -> None:
    assert [path for path in OWN if installed_package(Frame(path))] == []
