package jsonstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strconv"
)

// A line of a journal is one batch:
//
//	M1 <seq> <len> <crc32c> <prev> <synced> <json>\n
//
// seq is a decimal number, one more than that of the line before, across all journals.
// len is the number of bytes of json. crc32c is the Castagnoli CRC of
// "<seq> <prev> <synced> <json>" as 8 hex digits. prev is 16 hex digits: the first 8
// bytes of the SHA-256 of the whole line before, with its line feed (16 zeros in the first
// line of a store). synced is the offset up to which this file was durable before the line
// was written.
type frame struct {
	seq    uint64
	prev   link
	synced int64
	json   []byte
}

// link is the first 8 bytes of the SHA-256 of a line.
type link [8]byte

// maxLine is the most bytes of JSON in one journal line, and thus in one batch.
const maxLine = 64 << 20

const frameMark = "M1 "

// maxFrame is the most bytes before the JSON of a line.
const maxFrame = len(frameMark) + 20 + 1 + 8 + 1 + 8 + 1 + 16 + 1 + 19 + 1

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli()) }

// sum returns the CRC of the frame's fields and JSON.
func (f *frame) sum() uint32 {
	head := make([]byte, 0, 64)
	head = strconv.AppendUint(head, f.seq, 10)
	head = append(head, ' ')
	head = hex.AppendEncode(head, f.prev[:])
	head = append(head, ' ')
	head = strconv.AppendInt(head, f.synced, 10)
	head = append(head, ' ')
	return crc32.Update(crc32.Checksum(head, castagnoli()), castagnoli(), f.json)
}

// appendTo appends the line to b.
func (f *frame) appendTo(b []byte) []byte {
	b = append(b, frameMark...)
	b = strconv.AppendUint(b, f.seq, 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(len(f.json)), 10)
	b = append(b, ' ')
	b = appendSum(b, f.sum())
	b = append(b, ' ')
	b = hex.AppendEncode(b, f.prev[:])
	b = append(b, ' ')
	b = strconv.AppendInt(b, f.synced, 10)
	b = append(b, ' ')
	b = append(b, f.json...)
	return append(b, '\n')
}

func appendSum(b []byte, sum uint32) []byte {
	return hex.AppendEncode(b, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
}

// linkOf returns the link of a whole line.
func linkOf(line []byte) link {
	h := sha256.Sum256(line)
	return link(h[:8])
}

// parseFrame reads the line at the start of b and returns its length. It returns false for part of a line and for
// anything that appendTo would not write. The returned JSON is a part of b.
func parseFrame(b []byte) (frame, int, bool) {
	var f frame
	rest, ok := bytes.CutPrefix(b, []byte(frameMark))
	if !ok {
		return f, 0, false
	}
	head := rest[:min(len(rest), maxFrame)]
	var field [5][]byte
	for i := range field {
		if field[i], head, ok = bytes.Cut(head, []byte(" ")); !ok {
			return f, 0, false
		}
		rest = rest[len(field[i])+1:]
	}
	seq, okSeq := decimal(field[0])
	length, okLen := decimal(field[1])
	synced, okSynced := decimal(field[4])
	if !okSeq || !okLen || !okSynced || synced > 1<<62 || length > maxLine || length+1 > uint64(len(rest)) {
		return f, 0, false
	}
	var sum [4]byte
	if !fixedHex(sum[:], field[2]) || !fixedHex(f.prev[:], field[3]) || rest[length] != '\n' {
		return f, 0, false
	}
	f.seq, f.synced, f.json = seq, int64(synced), rest[:length:length] //nolint:gosec // bounded above
	size := len(b) - len(rest) + int(length) + 1                       //nolint:gosec // bounded above
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	return f, size, f.sum() == want
}

// decimal reads a number in the only form that appendTo writes.
func decimal(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 20 || (b[0] == '0' && len(b) > 1) {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	return n, err == nil
}

// fixedHex decodes src, lower-case hex digits, into all of dst.
func fixedHex(dst, src []byte) bool {
	if len(src) != 2*len(dst) || bytes.ContainsAny(src, "ABCDEF") {
		return false
	}
	_, err := hex.Decode(dst, src)
	return err == nil
}
