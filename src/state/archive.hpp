/// Converts the whole state of an object to bytes and back (docs/format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "linalg/eigen_types.hpp"

namespace roipca::state {

/// Writes the members of an object one after the other, or reads them back. A class lists its state once, for
/// both directions:
///
///     void visit_state(state::Archive& archive) { archive(values_, trace_); }
///
/// State is everything that the next row or the next reading may depend on. Scratch memory and values that
/// the constructor sets are not listed. To restore an object, construct it with its original arguments, so
/// that its arrays have their sizes, and then read its state. Writing does not change members.
class Archive {
 public:
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Accepts numbers, enumerators, optional numbers, Eigen arrays and parts of them, and objects that have a
  /// visit_state.
  template <typename... Parts>
  void operator()(Parts&&... parts) {
    (visit(parts), ...);
  }

  /// Transfers a count, and refuses one above `most`. Use it for counts that determine memory.
  void count(Index& number, Index most);

 protected:
  Archive() = default;
  ~Archive() = default;

 private:
  virtual void transfer(std::span<std::byte> bytes) = 0;

  template <typename Part>
  void visit(Part& part) {
    if constexpr (std::is_same_v<Part, bool>) {
      visit_flag(part);
    } else if constexpr (std::is_arithmetic_v<Part> || std::is_enum_v<Part>) {
      transfer(std::as_writable_bytes(std::span(&part, 1)));
    } else if constexpr (std::is_base_of_v<Eigen::DenseBase<Part>, Part>) {
      visit_array(part);
    } else {
      part.visit_state(*this);
    }
  }

  template <typename Number>
  void visit(std::optional<Number>& number) {
    bool is_there = number.has_value();
    visit_flag(is_there);
    if (is_there && !number) number.emplace();
    if (!is_there && number) number.reset();
    if (number) visit(*number);
  }

  template <typename Array>
  void visit_array(Array& array) {
    static_assert(Array::InnerStrideAtCompileTime == 1);
    expect_size(array.size());
    for (Index i = 0; i < array.outerSize(); ++i) {
      auto* const numbers = array.data() + i * array.outerStride();
      transfer(std::as_writable_bytes(std::span(numbers, static_cast<std::size_t>(array.innerSize()))));
    }
  }

  void visit_flag(bool& flag);
  void expect_size(Index size);
};

using Visit = std::function<void(Archive&)>;

/// Returns the bytes of the members that `visit` passes to the archive, after a header with format, length
/// and checksum.
std::vector<std::byte> pack(const Visit& visit);

/// Reads bytes made by `pack` into the members that `visit` passes to the archive. Throws
/// std::invalid_argument that says what is wrong with the bytes: before anything is changed if `pack` did not
/// make them, and in the middle if their contents do not match the members.
void unpack(std::span<const std::byte> bytes, const Visit& visit);

}  // namespace roipca::state
