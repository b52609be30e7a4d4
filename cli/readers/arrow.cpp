// Python sends rows through a pipe, after messages in JSON, each with its length before it
// (python/roipca/_command_rows.py): the names of the columns; then, when it was told which of them to read,
// the names of the features; then, before each block of rows, their number and the bytes of their ids.
#include "readers/arrow.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "readers/worker_process.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kNeeds =
    "Parquet and Arrow files are read by Python: install it with pip install 'roipca[parquet]'; "
    "$ROIPCA_PYTHON can name the interpreter";

// Without the current folder among the places to import from: it may hold anything. The package itself is not
// imported, because that takes several times as long as to read a small file.
constexpr const char* kScript = R"(
import sys
sys.path = [place for place in sys.path if place]
import importlib.util
package = importlib.util.find_spec("roipca")
if package is None or importlib.util.find_spec("pyarrow") is None:
    sys.exit(3)
place = package.submodule_search_locations[0] + "/_command_rows.py"
spec = importlib.util.spec_from_file_location("roipca_command_rows", place)
rows = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rows)
rows.send(sys.argv[1])
)";

std::string python() {
  if (const char* chosen = std::getenv("ROIPCA_PYTHON"); chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = (program.parent_path() / "python3").string();
  return !error && ::access(beside.c_str(), X_OK) == 0 ? beside : "python3";
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Python, and messages from and to it.
class PythonProcess {
 public:
  explicit PythonProcess(const std::string& path) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) throw FileError("cannot create a pipe");
    const Descriptor input(ends[0]);
    output_ = std::make_unique<Descriptor>(ends[1]);
    const std::string program = python();
    const std::string file = std::filesystem::absolute(path).string();
    worker_ = std::make_unique<WorkerProcess>([&](WorkerProcess::Output& to) {
      ::dup2(input.number(), STDIN_FILENO);
      ::dup2(to.descriptor(), STDOUT_FILENO);
      ::execlp(program.c_str(), program.c_str(), "-c", kScript, file.c_str(), static_cast<char*>(nullptr));
    });
  }

  // Throws FileError for what Python could not read.
  Json receive() {
    std::uint64_t size = 0;
    if (worker_->read_fully(std::span(reinterpret_cast<char*>(&size), sizeof size)) < sizeof size) {
      throw FileError(is_started_ ? "the Python process that reads the file ended early" : kNeeds);
    }
    is_started_ = true;
    std::string text(std::min<std::uint64_t>(size, kLongest), '\0');
    receive(text);
    Json message = Json::parse(text, nullptr, false);
    if (!message.is_object()) throw FileError("Python sent no message");
    if (message.contains("error")) throw FileError(message.value("error", ""));
    return message;
  }

  void receive(std::span<char> bytes) {
    if (worker_->read_fully(bytes) == bytes.size()) return;
    throw FileError("the Python process that reads the file ended early");
  }

  // Short enough for a pipe to take at once.
  void send(const Json& message) {
    const std::string text = message.dump() + '\n';
    std::span<const char> left(text);
    while (!left.empty()) {
      const ssize_t count = ::write(output_->number(), left.data(), left.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw FileError("the Python process that reads the file ended early");
      left = left.subspan(static_cast<std::size_t>(count));
    }
  }

 private:
  static constexpr std::uint64_t kLongest = std::uint64_t{1} << 30U;

  std::unique_ptr<Descriptor> output_;
  std::unique_ptr<WorkerProcess> worker_;
  bool is_started_ = false;
};

template <typename T>
class ArrowReader : public RowReader<T> {
 public:
  ArrowReader(const std::string& path, const ColumnChoice& choice) : python_(path) {
    const auto names = python_.receive().at("columns").get<std::vector<std::string>>();
    const ChosenColumns chosen = chosen_columns(choice, names, names.size());
    std::vector<std::size_t> wanted;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (chosen.wanted[j]) wanted.push_back(j);
    }
    python_.send({{"columns", wanted}, {"id", chosen.id ? Json(*chosen.id) : Json()}});
    const Json shape = python_.receive();
    names_ = shape.at("names").get<std::vector<std::string>>();
    rows_ = shape.at("rows").get<std::int64_t>();
    id_name_ = chosen.id_name;
  }

  Index columns() const override { return static_cast<Index>(names_.size()); }
  std::optional<std::int64_t> rows() const override { return rows_; }
  std::vector<std::string> names() const override { return names_; }
  std::string id_name() const override { return id_name_; }

  void read(PlacedRows<T>& block) override {
    while (block.count < block.capacity() && next_ < rows_) {
      if (taken_ == count_) receive_block();
      const Index count = std::min(block.capacity() - block.count, count_ - taken_);
      const double* const from = numbers_.data() + taken_ * columns();
      T* const to = block.rows.data() + block.count * columns();
      std::transform(from, from + count * columns(), to, [](double x) { return static_cast<T>(x); });
      for (Index i = 0; i < count; ++i) {
        block.places.push_back(next_ + i);
        if (!ids_.empty()) block.ids.push_back(std::move(ids_[static_cast<std::size_t>(taken_ + i)]));
      }
      block.count += count;
      taken_ += count;
      next_ += count;
    }
    block.fraction = static_cast<double>(next_) / static_cast<double>(rows_);
  }

 private:
  void receive_block() {
    const Json message = python_.receive();
    count_ = message.at("rows").get<Index>();
    std::string ids(message.at("id_bytes").get<std::size_t>(), '\0');
    python_.receive(ids);
    ids_.clear();
    for (std::size_t at = 0; at < ids.size(); at = ids.find('\0', at) + 1) {
      ids_.emplace_back(ids, at, ids.find('\0', at) - at);
    }
    numbers_.resize(static_cast<std::size_t>(count_ * columns()));
    python_.receive(std::span(reinterpret_cast<char*>(numbers_.data()), numbers_.size() * sizeof(double)));
    taken_ = 0;
  }

  PythonProcess python_;
  std::vector<std::string> names_;
  std::string id_name_;
  std::int64_t rows_ = 0;
  std::int64_t next_ = 0;
  std::vector<double> numbers_;  // of the block that was received last
  std::vector<std::string> ids_;
  Index count_ = 0;
  Index taken_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_arrow(const std::string& path, const ColumnChoice& choice) {
  try {
    return std::make_unique<ArrowReader<T>>(path, choice);
  } catch (const Json::exception&) {
    throw FileError("Python sent another message than was expected: is it of another version of roipca?");
  }
}

template std::unique_ptr<RowReader<float>> open_arrow(const std::string&, const ColumnChoice&);
template std::unique_ptr<RowReader<double>> open_arrow(const std::string&, const ColumnChoice&);

}  // namespace roipca::cli
