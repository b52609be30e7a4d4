/// Limits the memory of this process, so that absurd input fails early instead of exhausting the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace roipca::cli {

/// Parses a number of bytes such as "512M", where K, M, G and T are powers of 1024. Returns nothing for any
/// other text and for 0.
std::optional<std::uint64_t> parse_bytes(const std::string& text);

/// Returns the smallest limit in bytes, a whole number of MiB: enough for the program and for rows of a few
/// hundred features.
std::uint64_t least_memory();

/// Makes allocations beyond `bytes` fail with std::bad_alloc in this process and its children. Keeps a lower
/// limit that is already set (ulimit -d).
void limit_memory(std::uint64_t bytes);

/// Gives threads that start later a stack of at most 2 MB. A stack counts as a whole against a limit, is 8 MB
/// by default, and is hardly used.
void make_stacks_small();

/// Returns the limit in bytes, or nothing if there is none.
std::optional<std::uint64_t> memory_limit();

/// Returns the limit as part of a message, " within 64 MB", or an empty text if there is none.
std::string memory_limit_text();

/// Returns the message "not enough memory within 64 MB (see --max-memory)", or without a limit if there is
/// none.
std::string not_enough_memory();

/// Returns roughly how many bytes a fit by the exact method takes at its peak, with one thread.
std::uint64_t memory_for_exact(std::int64_t features);

}  // namespace roipca::cli
