package judgment

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// confidenceFields lists the names, folded, of fields in which a judge gives how sure it is.
const confidenceFields = " confidence confidencescore confidencelevel certainty probability 置信度 可信度 把握 "

// sureWords are levels of confidence, folded.
var sureWords = map[string]float64{
	"verylow": 0.1, "low": 0.3, "medium": 0.5, "moderate": 0.5, "high": 0.8, "veryhigh": 0.95,
	"很低": 0.1, "低": 0.3, "中": 0.5, "中等": 0.5, "高": 0.8, "很高": 0.95,
}

// Confidence returns the confidence that judgment v states, 0 to 1; ok is false if it states none. It may be a share, a
// percentage such as 85 or "85%", or a level such as high. A number above 1 is read as a percentage.
func Confidence(v any) (sure float64, ok bool) {
	o, is := v.(map[string]any)
	if !is {
		return 0, false
	}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if !among(confidenceFields, Fold(k)) {
			continue
		}
		switch x := o[k].(type) {
		case json.Number:
			return share(x.String())
		case string:
			if p, known := sureWords[Fold(x)]; known {
				return p, true
			}
			return share(strings.TrimSpace(x))
		}
	}
	return 0, false
}

// share reads a share or a percentage.
func share(s string) (float64, bool) {
	number, percent := strings.CutSuffix(s, "%")
	p, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent || p > 1 {
		p /= 100
	}
	return p, err == nil && p >= 0 && p <= 1
}
