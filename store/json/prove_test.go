package jsonstore

import (
	"os"
	"strconv"
)

// setting returns a number from the environment, for longer runs than the usual.
func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}
