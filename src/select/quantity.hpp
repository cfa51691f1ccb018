// Durations and rates as people write them. Sizes are in algorithms/size.hpp.
#pragma once

#include <string>
#include <string_view>

namespace anabranch {

// Seconds from a number with a unit ns, us, ms, s, min or h: "30s", "1.5ms", "100us"; "0" needs
// none. Throws std::invalid_argument with one line that says what is valid.
double parse_duration_s(std::string_view text);
// The shortest of these forms that is right to 4 digits: "100us", "1.5ms".
std::string format_duration(double duration_s);

// Bytes per second from a number with a unit: bits (bit, kbit, mbit, gbit, tbit, powers of 1000, as
// network people count) or bytes (B/s, kB/s, MB/s, GB/s, powers of 1000; KiB/s, MiB/s, GiB/s,
// powers of 1024). "/s" may be left out and case does not matter: "40mbit", "1.2GB/s". Throws
// likewise.
double parse_bandwidth_bytes_per_s(std::string_view text);
// As "5MB/s", right to 4 digits.
std::string format_bandwidth(double bytes_per_s);

}  // namespace anabranch
