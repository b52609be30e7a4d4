/// A limit on the memory of the process, so that absurd input is refused before it disturbs the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace roipca::cli {

/// Parses a number of bytes such as "512M": with K, M, G or T for powers of 1024. Returns nothing for other
/// texts and for 0.
std::optional<std::uint64_t> parse_bytes(const std::string& text);

/// Returns the physical memory of the machine in bytes.
std::uint64_t physical_memory();

/// Makes allocations beyond `bytes` fail with std::bad_alloc, in this process and its children. A lower limit
/// that is already set (ulimit -d) stays.
void limit_memory(std::uint64_t bytes);

/// Returns the limit in words, for a message: " within 64 MB". Empty if there is none.
std::string memory_limit_text();

}  // namespace roipca::cli
