// Reads lines of two lists of numbers separated by `;`: the logits of a row, and tokens. Prints for each line the logarithm
// of the probability of these tokens together.
#include "log_probability.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto middle = line.find(';');
    std::vector<float> row;
    std::vector<int32_t> tokens;
    std::stringstream logits(line.substr(0, middle));
    // `>>` reads neither NaN nor infinity.
    for (std::string each; logits >> each;) row.push_back(std::strtof(each.c_str(), nullptr));
    std::stringstream list(line.substr(middle + 1));
    for (int32_t each; list >> each;) tokens.push_back(each);
    std::printf("%.17g\n", decider::log_probability(row.data(), row.size(), tokens.data(), tokens.size()));
  }
  return 0;
}
