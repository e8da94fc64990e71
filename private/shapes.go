package private

import (
	"regexp"
	"sync"
)

// lazy compiles a shape when it is first asked for.
func lazy(shape string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(shape) })
}
