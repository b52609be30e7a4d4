#include "row_choice.hpp"

#include <algorithm>

namespace roipca::cli {
namespace {

// The generator SplitMix64 (Steele, Lea and Flood 2014) at step `n`: a bijection of 64 bits, so no two rows
// have the same hash.
std::uint64_t hash_of(std::uint64_t n) {
  n = (n + 1) * 0x9E3779B97F4A7C15U;
  n = (n ^ (n >> 30U)) * 0xBF58476D1CE4E5B9U;
  n = (n ^ (n >> 27U)) * 0x94D049BB133111EBU;
  return n ^ (n >> 31U);
}

}  // namespace

std::optional<Index> RowChoice::pass() {
  const std::int64_t row = rows_++;
  const std::uint64_t hash = hash_of(static_cast<std::uint64_t>(row));
  auto place = static_cast<Index>(heap_.size());
  if (place == capacity_) {
    if (hash > heap_.front().hash) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), smaller_hash);
    place = heap_.back().chosen.place;
    heap_.pop_back();
  }
  heap_.push_back({hash, {row, place}});
  std::push_heap(heap_.begin(), heap_.end(), smaller_hash);
  return place;
}

std::vector<RowChoice::Chosen> RowChoice::chosen() const {
  std::vector<Chosen> result;
  for (const Entry& entry : heap_) result.push_back(entry.chosen);
  std::sort(result.begin(), result.end(), [](const Chosen& a, const Chosen& b) { return a.row < b.row; });
  return result;
}

}  // namespace roipca::cli
