#include <cstdio>
#include <memory>

#include "arguments.hpp"
#include "roipca/build_info.hpp"
#include "shell/completions.hpp"
#include "shell/manual.hpp"

namespace roipca::cli {

Command add_completions(CLI::App& program) {
  auto shell = std::make_shared<std::string>();
  Arguments arguments(program, "completions", "Print completions for bash, zsh or fish",
                      "source <(roipca completions bash)");
  arguments.add_argument("SHELL", *shell, "bash, zsh or fish");
  return arguments.command([shell, &program] {
    const std::vector<CommandFacts> commands = command_facts(program);
    std::string text;
    if (*shell == "bash") {
      text = bash_completions(commands);
    } else if (*shell == "zsh") {
      text = zsh_completions(commands);
    } else if (*shell == "fish") {
      text = fish_completions(commands);
    } else {
      throw UsageError("SHELL must be bash, zsh or fish, not \"" + *shell + "\"");
    }
    std::fputs(text.c_str(), stdout);
  });
}

Command add_manual(CLI::App& program) {
  Arguments arguments(program, "manual", "Print the manual page, for man", "roipca manual | man -l -");
  return arguments.command([&program] {
    const std::string text =
        manual_page(command_facts(program), summary_of(program), std::string(roipca::version()));
    std::fputs(text.c_str(), stdout);
  });
}

}  // namespace roipca::cli
