// C has neither locale-free conversions nor shortest digits; the C++ library has both, and they do
// not throw.
#include <charconv>
#include <cmath>
#include <string_view>

extern "C" {
#include "base/number.h"
}

// Whether the first digit that counts stands before the decimal point: what cannot be held is too
// large then, else too small.
static bool is_large(std::string_view number)
{
    long long exponent = 0;
    size_t e = number.find_first_of("eE");
    if (e != std::string_view::npos) {
        const char *from = number.data() + e + 1, *end = number.data() + number.size();
        from += from < end && *from == '+';
        if (std::from_chars(from, end, exponent).ec != std::errc())
            return *from != '-';
        number = number.substr(0, e);
    }
    if (number[0] == '-')
        number.remove_prefix(1);
    size_t point = number.find('.'), first = number.find_first_of("123456789");
    if (point == std::string_view::npos)
        point = number.size();
    return static_cast<long long>(point) - static_cast<long long>(first) + exponent > 0;
}

extern "C" {

bool fh_number_parse(fh_text text, double *value)
{
    double parsed = 0;
    const char *end = text.data + text.length;
    // from_chars knows "inf" and "nan" too; every number has its last digit or point at its end.
    if (!text.length || ((end[-1] < '0' || end[-1] > '9') && end[-1] != '.'))
        return false;
    auto result = std::from_chars(text.data, end, parsed);
    if (result.ptr != end || result.ec == std::errc::invalid_argument)
        return false;
    if (result.ec == std::errc::result_out_of_range) {
        parsed = is_large({text.data, text.length}) ? HUGE_VAL : 0.0;
        parsed = text.data[0] == '-' ? -parsed : parsed;
    }
    *value = parsed;
    return true;
}

void fh_number_add(fh_buffer *buffer, double value)
{
    char digits[32];
    auto result = std::to_chars(digits, digits + sizeof digits, value);
    fh_buffer_add(buffer, {digits, static_cast<size_t>(result.ptr - digits)});
}
}
