//go:build !unix

package piece

import (
	"errors"
	"os"
)

// mapFile maps nothing: such systems need other calls for it, and read the file.
func mapFile(*os.File, int64) ([]byte, func([]byte), error) { return nil, nil, errors.ErrUnsupported }
