package whole

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
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
