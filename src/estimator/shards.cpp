#include "estimator/shards.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/make_engine.hpp"
#include "options/resolved.hpp"
#include "roipca/errors.hpp"
#include "roipca/merge.hpp"

namespace roipca {
namespace {

constexpr Index kTurn = 256;  // rows that go to one stream before it is the next one's turn
constexpr Index kNearNumbers =
    1 << 16;  // numbers that are still in a cache of the core when they are read again
constexpr Index kWorthAThread = 1 << 16;  // numbers in a call

// Returns the number of rows to check and add at a time, so that they are read from memory once.
template <typename T>
Index rows_at_once(const GivenRows<T>& given) {
  return std::max<Index>(8, kNearNumbers / given.rows.cols() / 8 * 8);
}
template <typename T>
Index rows_at_once(const GivenSparseRows<T>& /*given*/) {
  return kTurn;
}

// Returns whether starting threads takes longer than adding the rows.
template <typename T>
bool are_few(const GivenRows<T>& given, Index count) {
  return count * given.rows.cols() < kWorthAThread;
}
template <typename T>
bool are_few(const GivenSparseRows<T>& given, Index /*count*/) {
  return given.rows.entries() < kWorthAThread / 16;  // small matrices take most of the time
}

// Rethrows the exception that names the first row, so that the message does not depend on the speed of
// threads.
void rethrow_first(const std::vector<std::exception_ptr>& failures) {
  std::exception_ptr first;
  Index row = std::numeric_limits<Index>::max();
  for (const auto& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const DataError& error) {
      if (error.row() < row) {
        row = error.row();
        first = failure;
      }
    } catch (...) {
      if (!first) first = failure;
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace

template <typename T>
Shards<T>::Shards(const Options& options, Index features) {
  add_streams(options, features);
}

template <typename T>
Shards<T>::Shards(const Model<T>& model) {
  streams_.emplace_back(model);
  add_streams(with_choices(model), model.features());
}

template <typename T>
void Shards<T>::add_streams(const Options& options, Index features) {
  const bool shared = by_blocks(options, features) && options.forgetting == 1.0;
  const auto count = static_cast<std::size_t>(shared ? options.threads : 1);
  streams_.reserve(count);
  while (streams_.size() < count) streams_.emplace_back(options, features);
}

template <typename T>
template <typename Given>
void Shards<T>::absorb(const Given& given, Index from, Index to, std::int64_t position,
                       PacedCheck& interrupt) {
  if (streams_.size() > 1) return absorb_in_parallel(given, from, to, position, interrupt);
  absorb_turns(0, given, from, to, position, [&] {
    interrupt.between_blocks();
    return true;
  });
}

// Adds the rows whose turn it is, as long as `between` returns true.
template <typename T>
template <typename Given, typename Between>
void Shards<T>::absorb_turns(std::size_t turn, const Given& given, Index from, Index to,
                             std::int64_t position, Between&& between) {
  const auto streams = static_cast<std::int64_t>(streams_.size());
  const Index at_once = rows_at_once(given);
  for (Index i = from; i < to;) {
    const std::int64_t number = (position + i) / kTurn;
    const Index end = std::min<Index>(to, static_cast<Index>((number + 1) * kTurn - position));
    if (number % streams != static_cast<std::int64_t>(turn)) {
      i = end;
      continue;
    }
    while (i < end) {
      const Index next = std::min(end, i + at_once);
      streams_[turn].absorb(given, i, next);
      i = next;
      if (!between()) return;
    }
  }
}

template <typename T>
template <typename Given>
void Shards<T>::absorb_in_parallel(const Given& given, Index from, Index to, std::int64_t position,
                                   PacedCheck& interrupt) {
  std::vector<std::exception_ptr> failures(streams_.size());
  std::exception_ptr interruption;
  std::atomic<bool> is_interrupted = false;
  const auto work = [&](std::size_t turn, bool is_caller) {
    const auto goes_on = [&] {
      if (is_interrupted) return false;
      if (!is_caller) return true;
      try {
        interrupt.between_blocks();
      } catch (...) {
        interruption = std::current_exception();
        is_interrupted = true;
      }
      return !is_interrupted;
    };
    try {
      absorb_turns(turn, given, from, to, position, goes_on);
    } catch (...) {
      failures[turn] = std::current_exception();
    }
  };
  if (are_few(given, to - from)) {
    for (std::size_t i = 0; i < streams_.size(); ++i) work(i, true);
  } else {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      try {
        threads.emplace_back(work, i, false);
      } catch (const std::system_error&) {
        work(i, true);  // no thread could be started
      }
    }
    work(0, true);
  }
  if (interruption) std::rethrow_exception(interruption);
  rethrow_first(failures);
}

template <typename T>
void Shards<T>::set_learning_rate(const LearningRate& rate) {
  for (Stream<T>& stream : streams_) stream.set_learning_rate(rate);
}

// Returns one stream of all rows, if scatters can be added.
template <typename T>
Stream<T> Shards<T>::joined() const {
  std::optional<Stream<T>> all;
  for (const Stream<T>& stream : streams_) {
    if (stream.rows() == 0) continue;
    if (all) {
      all->merge(stream, 1.0);
    } else {
      all.emplace(stream);
    }
  }
  return std::move(*all);
}

template <typename T>
void Shards<T>::merge(const Shards& other, double decay) {
  Stream<T> all = joined();
  for (const Stream<T>& stream : other.streams_) {
    if (stream.rows() == 0) continue;
    all.merge(stream, decay);
    decay = 1.0;
  }
  for (Stream<T>& stream : streams_) stream = stream.without_rows();
  streams_[0] = std::move(all);
}

template <typename T>
std::int64_t Shards<T>::rows() const {
  std::int64_t sum = 0;
  for (const Stream<T>& stream : streams_) sum += stream.rows();
  return sum;
}

template <typename T>
Model<T> Shards<T>::model() const {
  if (streams_.size() > 1 && streams_[0].adds_scatters()) return joined().model();
  Model<T> all;
  for (const Stream<T>& stream : streams_) {
    if (stream.rows() > 0) all = all.rows == 0 ? stream.model() : roipca::merge(all, stream.model());
  }
  all.empty_rows = 0;
  for (const Stream<T>& stream : streams_) all.empty_rows += stream.empty_rows();
  return all;
}

template <typename T>
std::optional<Model<T>> Shards<T>::reported(double tolerance) const {
  if (streams_.size() == 1) return streams_[0].reported(tolerance);
  return streams_[0].adds_scatters() ? joined().reported(tolerance) : std::nullopt;
}

template <typename T>
std::vector<double> Shards<T>::learning_rates() const {
  return streams_.empty() ? std::vector<double>() : streams_[0].learning_rates();
}

template <typename T>
Index Shards<T>::size() const {
  Index sum = 0;
  for (const Stream<T>& stream : streams_) sum += stream.size();
  return sum;
}

template <typename T>
void Shards<T>::visit_state(state::Archive& archive) {
  for (Stream<T>& stream : streams_) archive(stream);
}

template class Shards<float>;
template class Shards<double>;
template void Shards<float>::absorb(const GivenRows<float>&, Index, Index, std::int64_t, PacedCheck&);
template void Shards<double>::absorb(const GivenRows<double>&, Index, Index, std::int64_t, PacedCheck&);
template void Shards<float>::absorb(const GivenSparseRows<float>&, Index, Index, std::int64_t, PacedCheck&);
template void Shards<double>::absorb(const GivenSparseRows<double>&, Index, Index, std::int64_t, PacedCheck&);

}  // namespace roipca
