#!/bin/sh
# Rows that are read ahead by one thread and learned by three others give the same model from a file and from a pipe.
# Run by CTest with the program's path; `make tsan` looks for races in it.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Numbers of a linear congruential generator: 8 MB, several of the blocks that are read ahead.
awk 'BEGIN {
  x = 1
  for (i = 0; i < 40000; i++) {
    line = ""
    for (j = 0; j < 20; j++) { x = (x * 16807) % 2147483647; line = line sprintf("%s%.6f", j ? "," : "", x / 2147483647 / (j + 1)) }
    print line
  }
}' >rows.csv
"$program" fit rows.csv -k 3 --threads 3 -o file.model
"$program" fit - -k 3 --threads 3 -o pipe.model <rows.csv
cmp file.model pipe.model
"$program" transform file.model rows.csv -o scores.csv
[ "$(wc -l <scores.csv)" -ge 40000 ]
