#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""readme.py BUILD PAGE...: tests each code block of the README and its guides. Prints TAP.

Installs tenon from BUILD into a temporary directory, and adds the blocks to a project there: checks
specs, runs pipelines and converts documents (`json`), compiles plugins (`c`, `cpp`) to
lib<name>.so, writes `rust` and tests of plugins to a file, compiles hosts, and runs them if their
plugins exist, configures `cmake`, builds it and runs its tests if it has tests of plugins, builds
`meson`, runs commands (`sh`). If a block of commands has lines that begin with `# `, they must equal
the output.
A block is written to the file that the text before it names, such as `kinds/filter/v1.json`.
Commands of tools/ are not run, because they build tenon.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]

# The program around a block that is only a part of one.
PROGRAM = """
#include <photo/filter.hpp>
#include <tenon/host.hpp>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>
[[maybe_unused]] struct {
  void add(const std::string&, const std::string&) {}
} menu;
inline void log(const std::string& text) { std::cerr << text << '\\n'; }
std::vector<std::uint8_t> image(4);
tenon::Buffer pixels(image.data(), image.size());
int width = 1, height = 1;
"""


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


class Block:
    """A fenced block: its language, its first line, its text, and the file to write it to."""

    def __init__(self, page, language, line, before):
        self.page = page
        self.language = language
        self.line = line
        self.text = ""
        files = re.findall(r"`([\w./-]+\.(?:json|c|cpp|h|hpp|rs|txt))`", before)
        self.file = files[-1] if files else None

    def is_plugin(self):
        return "TENON_PLUGIN" in self.text or "TENON_MODULE" in self.text

    def is_plugin_test(self):
        return "tenon/sdk/testing.hpp" in self.text

    def last(self):
        """Whether it is run after specs and plugins."""
        return self.language in ("sh", "cmake", "meson") or self.language == "cpp" and not self.is_plugin()


def blocks_of(page):
    text = page.read_text()
    blocks = []
    block = None
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        if block is None and (fence := re.match(r"```(\w*)", line)):
            block = Block(page.stem, fence[1], number, before)
            before = ""
        elif block is not None and line.startswith("```"):
            blocks.append(block)
            block = None
        elif block is not None:
            block.text += line + "\n"
        else:
            before = before + " " + line if line.strip() else before[-200:]
            if line.startswith("#"):
                before = ""
    return blocks


class Project:
    def __init__(self, root, build):
        self.root = root
        self.plugins = {}
        self.examples = pathlib.Path(build) / "plugins/examples/dpkg"
        tree = root / "tree"
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet"], check=True,
                       env=os.environ | {"DESTDIR": str(tree)}, stdout=sys.stderr)
        header = next(tree.rglob("include/tenon/abi.h"))
        self.prefix = root / "prefix"
        shutil.move(header.parents[2], self.prefix)
        self.library = next(self.prefix.rglob("libtenon.so"))
        self.project = root / "photo"
        self.project.mkdir()
        self.environment = os.environ | {
            "HOME": str(root),
            "PATH": f"{self.prefix}/bin:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": str(self.library.parent),
            "PHOTO_PLUGIN_PATH": str(self.project),
            "PKG_CONFIG_PATH": str(next(self.prefix.rglob("pkgconfig"))),
            "PREFIX": str(self.prefix),
            "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(pathlib.Path.home() / ".rustup")),
        }

    def run(self, *command):
        """Returns the output of a command in the project. Raises Failure if it fails."""
        done = subprocess.run(command, cwd=self.project, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))}\n{done.stdout}")
        return done.stdout

    def write(self, path, text):
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def includes(self):
        """Generates the kinds of the previous blocks. Returns the compiler arguments for them."""
        found = [f"-I{self.prefix}/include"]
        if (self.project / "kinds").is_dir():
            self.run("tenon-gen", "build", "--out", self.root / "kinds", "--name", "photo_kinds",
                     "kinds")
            found.insert(0, f"-I{self.root}/kinds/include")
        return found

    def compile(self, file, language, *arguments):
        compiler = "cc" if language == "c11" else "c++"
        self.run(compiler, f"-std={language}", *WARNINGS, *self.includes(), file, *arguments)

    def plugin(self, block, language):
        name = re.search(r'TENON_(?:MODULE|PLUGIN)\([^"]*"([^"]+)"', block.text)[1]
        short = name.split("/")[-1]
        suffix = ".c" if language == "c11" else ".cpp"
        file = self.write(block.file or short + suffix, block.text)
        module = self.project / f"lib{short}.so"
        self.compile(file, language, "-shared", "-fPIC", "-o", module)
        self.plugins[name] = module
        # Exit code 1: the command does not know the kinds of the host.
        self.run("sh", "-c", f"tenon inspect {module} || [ $? = 1 ]")

    def host(self, block):
        text = block.text
        whole = "int main" in text
        if not whole:
            included = re.findall(r"^#include.*\n", text, re.M)
            text = "".join(included) + PROGRAM + "int main() {\n" + re.sub(
                r"^#include.*\n", "", text, flags=re.M) + "}\n"
        file = self.write(block.file or f"{block.page}-line{block.line}.cpp", text)
        program = self.project / file.stem
        self.compile(file, "c++20", self.root / "kinds/photo_kinds.cpp", "-o", program,
                     f"-L{self.library.parent}", "-ltenon")
        wanted = re.findall(r'create<[^>]*>\("([^"]+)"', text)
        if all(name in self.plugins for name in wanted):
            self.run(program)

    def json(self, block):
        try:
            value = json.loads(block.text)
        except json.JSONDecodeError as error:
            raise Failure(f"line {block.line + error.lineno}: {error.msg}") from error
        family = value.get("kind") or value.get("type")
        if "destinations" in value:
            self.pipeline(value, block)
        if "store" in value:
            self.write(block.file, block.text)
        if "value" in value:
            self.run("tenon", "convert", self.write(block.file, block.text))
            return
        if family is None:
            return
        name = f"v{value['version']}.json" if "version" in value else "evolution.json"
        file = self.write(block.file or f"kinds/{family.split('/')[-1]}/{name}", block.text)
        if name == "evolution.json" and not (file.parent / "v2.json").exists():
            file.unlink()
            raise Skipped("a step to a version that is not shown")
        self.run("tenon-gen", "check", file.parent)

    def pipeline(self, value, block):
        file = self.write(block.file or f"{value['name']}.json", block.text)
        said = self.run("tenon-pipeline", "run", "--plugin-path", self.examples, file)
        counts = re.search(r"read (\d+), written (\d+), acknowledged (\d+)", said)
        if counts is None or len(set(counts.groups())) != 1 or counts[1] == "0":
            raise Failure(said)

    def cmake(self, block):
        directory = self.root / f"cmake-{block.page}-{block.line}"
        shutil.copytree(self.project, directory)
        text = "cmake_minimum_required(VERSION 3.21)\nproject(photo C CXX)\nenable_testing()\n"
        targets = set(re.findall(r"target_link_libraries\((\w+)", block.text))
        targets -= set(re.findall(r"add_(?:executable|library|plugin_test)\((\w+)", block.text))
        (directory / "main.cpp").write_text("int main() {}\n")
        body = block.text
        for target in targets:
            body = body.replace(f"target_link_libraries({target}",
                                f"add_executable({target} main.cpp)\ntarget_link_libraries({target}")
        for source in re.findall(r"tenon_add_plugin\(\w+ ([\w.]+)", body):
            (directory / source).touch()
        (directory / "CMakeLists.txt").write_text(text + body)
        sdk = self.root / "photo-sdk"
        if "photo-sdk" in block.text:
            self.run("tenon-gen", "sdk", "--out", sdk, "--app", "photo", "--name", "photo_kinds",
                     "kinds")
        self.run("cmake", "-S", directory, "-B", directory / "build",
                 f"-DCMAKE_PREFIX_PATH={sdk};{self.prefix}")
        if "tenon_add_plugin_test" in block.text:
            self.run("cmake", "--build", directory / "build")
            self.run("ctest", "--test-dir", directory / "build", "--output-on-failure",
                     "--no-tests=error")

    def meson(self, block):
        directory = self.root / f"meson-{block.page}-{block.line}"
        shutil.copytree(self.project, directory)
        (directory / "meson.build").write_text(block.text)
        self.run("meson", "setup", directory / "build", directory)
        self.run("meson", "compile", "-C", directory / "build")

    def shell(self, block):
        commands = re.sub(r"^\$ ", "", block.text, flags=re.M)
        if re.search(r"^\s*(tools/|git clone|sudo|apt|meson|ninja|cmake|cargo)", commands, re.M):
            raise Skipped("it builds tenon")
        if "rustc" in commands and shutil.which("rustc") is None:
            raise Skipped("no rustc")
        printed = self.run("sh", "-euc", commands).splitlines()
        shown = re.findall(r"^# (.*)", commands, re.M)
        if shown and printed != shown:
            raise Failure("\n".join(["printed:", *printed, "shown:", *shown]))

    def try_block(self, block):
        if block.language == "json" or not block.language and block.text.startswith("{"):
            self.json(block)
        elif block.language == "c":
            self.plugin(block, "c11")
        elif block.is_plugin_test():
            self.write(block.file, block.text)
        elif block.language == "cpp" and block.is_plugin():
            self.plugin(block, "c++17")
        elif block.language == "cpp":
            self.host(block)
        elif block.language == "cmake":
            self.cmake(block)
        elif block.language == "meson":
            self.meson(block)
        elif block.language == "rust":
            self.write(block.file, block.text)
        elif block.language == "sh":
            self.shell(block)
        else:
            raise Skipped("not a language to try")


def try_out(project, block):
    """Returns the lines of TAP for a block, with %s as number and name."""
    try:
        project.try_block(block)
        return ["ok %s"]
    except Skipped as reason:
        return [f"ok %s # SKIP {reason}"]
    except Failure as failure:
        return [f"# {line}" for line in str(failure).splitlines()] + ["not ok %s"]


def main(build, *pages):
    blocks = [block for page in pages for block in blocks_of(pathlib.Path(page))]
    results = {}
    with tempfile.TemporaryDirectory() as root:
        project = Project(pathlib.Path(root), build)
        # Hosts and commands may use specs and plugins of later blocks.
        for block in sorted(blocks, key=lambda block: block.last()):
            results[block] = try_out(project, block)
    print(f"1..{len(blocks)}")
    for number, block in enumerate(blocks, 1):
        point = f"{number} - {block.page} line {block.line}, {block.language or 'text'}"
        for line in results[block]:
            print(line if line.startswith("# ") else line.replace("%s", point))


main(*sys.argv[1:])
