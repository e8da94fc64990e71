package whole

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// tail is the size of what Seal adds.
const tail = 12

// errDamaged is returned for bytes that Seal did not make, or not all of them.
var errDamaged = errors.New("it is damaged")

// Seal returns data followed by its length as u64 and its CRC-32C as u32, little endian.
func Seal(data []byte) []byte {
	data = binary.LittleEndian.AppendUint64(data, uint64(len(data)))
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// Unseal returns the data that Seal sealed, or an error if it is damaged.
func Unseal(data []byte) ([]byte, error) {
	n := len(data) - tail
	if n < 0 || crc32.Checksum(data[:n+8], castagnoli) != binary.LittleEndian.Uint32(data[n+8:]) ||
		binary.LittleEndian.Uint64(data[n:]) != uint64(n) { //nolint:gosec // not negative
		return nil, errDamaged
	}
	return data[:n], nil
}

// most bounds a file that LoadJSON reads, in bytes.
const most = 1 << 30

type versioned struct {
	Version int `json:"version"`
	Of      any `json:"of"`
}

// SaveJSON writes v as sealed JSON. version is the version of the caller's format, which LoadJSON compares.
func SaveJSON(w io.Writer, version int, v any) error {
	data, err := json.Marshal(versioned{version, v})
	if err != nil {
		return fmt.Errorf("encode it: %w", err)
	}
	_, err = w.Write(Seal(data))
	return err //nolint:wrapcheck // the caller knows what it writes
}

// LoadJSON reads what SaveJSON wrote into the value that v points to. It returns an error if the data is damaged or
// has another version.
func LoadJSON(r io.Reader, version int, v any) error {
	data, err := io.ReadAll(io.LimitReader(r, most))
	if err == nil {
		data, err = Unseal(data)
	}
	if err != nil {
		return err
	}
	s := versioned{Of: v}
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("decode it: %w", err)
	}
	if s.Version != version {
		return fmt.Errorf("it is of version %d", s.Version)
	}
	return nil
}
