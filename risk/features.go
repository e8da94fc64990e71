package risk

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Features are the data about one verdict from which a Model learns. All of them are known before the truth is. They
// hold hashes and shares, no text. A reader who guesses a token of the run can look for its hash, so Features are as
// private as the ledger that contains them.
type Features struct {
	value  uint32    // hash of the verdict's value, such as "fail"
	places [3]uint32 // product, scene type in it, test case in that; hashes
	judges [2]uint32 // agent, and model and version of it; hashes
	reason []uint32  // tokens of the judge's text besides the verdict, sorted hashes
	seen   []uint32  // tokens of the prompt and of the observation, sorted hashes
	shape  shape

	witness [witnesses]uint8 // codes of opinions; 0: none
}

const (
	maxReason = 96  // most tokens of a reason
	maxSeen   = 128 // most tokens of prompt and observation
	wordBits  = 20  // bits of a token's hash
	// maxFeatures is the most bytes that Encode returns.
	maxFeatures = 1200
)

// Extract returns the Features of the verdict of e. It reads no field that becomes known only after the verdict:
// neither ground truth, nor correct and direction, nor the evaluator's reason.
func Extract(e *tree.Evaluation) Features {
	f, _, _ := extract(e)
	return f
}

// extract also returns the tokens behind the hashes.
func extract(e *tree.Evaluation) (f Features, reason, seen map[uint32]string) {
	judged := judgment.Decode(e.Judgment)
	value, beside, _ := readVerdict(judged)
	f.value = hash("value", value)
	chain(f.places[:], "place", e.Scope.Product, e.Scene.Type, caseOf(e))
	chain(f.judges[:], "judge", e.Agent.Name, e.Agent.Model+"\x00"+e.Agent.Version)
	f.reason, reason = words(beside, maxReason)
	f.seen, seen = words(e.Prompt+"\n"+e.Observation, maxSeen)
	f.shape = shapeOf(e.Prompt, e.Observation, beside)
	f.witness[judgeSure] = sureCode(judged)
	return f, reason, seen
}

// readVerdict returns the value of a judged verdict, the text beside it and its polarity. The value is the verdict as
// it is spelled. If this spelling alone does not have the polarity, the value is "pass" or "fail": {"passed": true} and
// {"has_defect": true} are opposite verdicts.
func readVerdict(judged any) (value, beside string, p judgment.Polarity) {
	value, beside = judgment.Read(judged)
	p = judgment.PolarityOf(judged)
	if p != judgment.Unread && polarities()[hash("value", value)] != p {
		value = p.String()
	}
	return value, beside, p
}

// caseOf returns the key of the test case: its id, else the test, else scene and prompt.
func caseOf(e *tree.Evaluation) string {
	switch {
	case e.CaseID != "":
		return "c" + e.CaseID
	case e.Scope.Test != "":
		return "t" + e.Scope.Test
	default:
		return "p" + e.Scene.ID + "\x00" + e.Prompt
	}
}

// chain hashes each name together with those before it, so that equal names under
// different parents differ.
func chain(out []uint32, kind string, names ...string) {
	for i, n := range names {
		kind += "\x00" + n
		out[i] = hash(kind, "")
	}
}

// words returns the sorted hashes of the different tokens of s, and the tokens by hash. It keeps at most the n smallest
// hashes, a bottom-n sketch (A. Broder, SEQUENCES 1997): two long texts then keep the same ones of their common tokens.
func words(s string, n int) ([]uint32, map[uint32]string) {
	spelt := map[uint32]string{}
	for _, t := range text.Tokens(s) {
		spelt[hash("", t)>>(32-wordBits)] = t
	}
	out := make([]uint32, 0, len(spelt))
	for h := range spelt {
		out = append(out, h)
	}
	slices.Sort(out)
	return slices.Clip(out[:min(n, len(out))]), spelt
}

// hash returns the high half of FNV-1a, mixed so that every bit depends on all of s.
func hash(kind, s string) uint32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind)) // never fails
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(s))
	return uint32(mix(h.Sum64()) >> 32)
}

// mix is the finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// The versions of the code, plus withWitness if the opinions of witnesses follow the shape, one byte each. The first
// version has the numbers of a shape before looking.
const (
	firstVersion    = 1
	featuresVersion = 3
	withWitness     = 1
)

// shapeUnit is the step to which Encode rounds a number of the shape.
const shapeUnit = 1.0 / 4096

// Encode returns f as a short text for the ledger, of at most 1,200 bytes.
func (f *Features) Encode() string {
	version, numbers := byte(featuresVersion), f.shape[:]
	if f.shape[learned] == unknown {
		version, numbers = firstVersion, f.shape[:learned]
	}
	witnessed := f.witness != [witnesses]uint8{}
	if witnessed {
		version += withWitness
	}
	b := []byte{version}
	b = binary.LittleEndian.AppendUint32(b, f.value)
	for _, h := range slices.Concat(f.places[:], f.judges[:]) {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint16(b, uint16(min(math.MaxUint16, math.Round(float64(x)/shapeUnit))))
	}
	if witnessed {
		b = append(b, f.witness[:]...)
	}
	for _, ws := range [][]uint32{f.reason, f.seen} {
		b = binary.AppendUvarint(b, uint64(len(ws)))
		last := uint32(0)
		for _, w := range ws {
			b = binary.AppendUvarint(b, uint64(w-last))
			last = w
		}
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// errFeatures is returned by Decode for input that Encode did not produce.
var errFeatures = errors.New("not the features of a verdict")

// Decode returns the Features that Encode encoded as s. It returns an error if s is not in that form.
func Decode(s string) (Features, error) {
	var f Features
	if len(s) > maxFeatures {
		return f, fmt.Errorf("%w: longer than %d bytes", errFeatures, maxFeatures)
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return f, fmt.Errorf("%w: %w", errFeatures, err)
	}
	version, witnessed, numbers := readVersion(b)
	fixed := 1 + 4*6 + 2*numbers
	if version == 0 || len(b) < fixed {
		return f, fmt.Errorf("%w: another version, or cut off", errFeatures)
	}
	f.value = binary.LittleEndian.Uint32(b[1:])
	for i := range f.places {
		f.places[i] = binary.LittleEndian.Uint32(b[5+4*i:])
	}
	for i := range f.judges {
		f.judges[i] = binary.LittleEndian.Uint32(b[17+4*i:])
	}
	for i := range f.shape {
		if i >= numbers {
			f.shape[i] = unknown
			continue
		}
		f.shape[i] = float32(binary.LittleEndian.Uint16(b[25+2*i:])) * shapeUnit
	}
	rest := b[fixed:]
	if witnessed {
		if rest, err = f.decodeWitness(rest); err != nil {
			return Features{}, err
		}
	}
	if f.reason, rest, err = decodeWords(rest, maxReason); err != nil {
		return Features{}, err
	}
	if f.seen, rest, err = decodeWords(rest, maxSeen); err != nil {
		return Features{}, err
	}
	if len(rest) > 0 {
		return Features{}, fmt.Errorf("%w: something follows them", errFeatures)
	}
	return f, nil
}

// readVersion returns the version of a code, whether it has opinions, and how many numbers its shape has; version 0 for
// a code of no version.
func readVersion(b []byte) (version byte, witnessed bool, numbers int) {
	if len(b) == 0 {
		return 0, false, 0
	}
	switch b[0] {
	case firstVersion, firstVersion + withWitness:
		return firstVersion, b[0] != firstVersion, learned
	case featuresVersion, featuresVersion + withWitness:
		return featuresVersion, b[0] != featuresVersion, shapes
	}
	return 0, false, 0
}

// decodeWitness reads the opinions of witnesses, and returns the remaining bytes.
func (f *Features) decodeWitness(b []byte) (rest []byte, err error) {
	if len(b) < len(f.witness) || b[judgeSure] > sureCodes || b[secondLook] > maxLook {
		return nil, fmt.Errorf("%w: an opinion is none or cut off", errFeatures)
	}
	copy(f.witness[:], b)
	if f.witness == [witnesses]uint8{} {
		return nil, fmt.Errorf("%w: the opinions are missing", errFeatures)
	}
	return b[len(f.witness):], nil
}

// decodeWords reads a list of at most the given number of hashes, each stored as its distance from the previous one,
// and returns the remaining bytes.
func decodeWords(b []byte, most int) (ws []uint32, rest []byte, err error) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(most) {
		return nil, nil, fmt.Errorf("%w: a list of words is too long or cut off", errFeatures)
	}
	b = b[used:]
	ws = make([]uint32, n)
	last := uint64(0)
	for i := range ws {
		d, used := binary.Uvarint(b)
		if used <= 0 || d >= 1<<wordBits || i > 0 && d == 0 || last+d >= 1<<wordBits {
			return nil, nil, fmt.Errorf("%w: a word is out of order or cut off", errFeatures)
		}
		last += d
		ws[i] = uint32(last)
		b = b[used:]
	}
	return ws, b, nil
}
