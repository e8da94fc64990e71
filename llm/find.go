package llm

// Find returns the first of model and the models it wraps that has type T. ok is false if none has. A model that wraps
// another one has a method Unwrap that returns the inner model as any.
func Find[T any](model any) (found T, ok bool) {
	for model != nil {
		if found, ok = model.(T); ok {
			return found, true
		}
		outer, wraps := model.(interface{ Unwrap() any })
		if !wraps {
			break
		}
		model = outer.Unwrap()
	}
	return found, false
}

// NameOf returns the ID of the first of model and the models it wraps that has an ID; "" if none has.
func NameOf(model any) string {
	if m, ok := Find[interface{ ID() string }](model); ok {
		return m.ID()
	}
	return ""
}

// Plays reports whether model only replays recorded answers, so that it calls no provider and costs nothing.
func Plays(model any) bool {
	m, ok := Find[interface{ Plays() bool }](model)
	return ok && m.Plays()
}

// Adapter is a model that changes the form of its requests when the provider rejects them, and can pass what it found
// on to another process.
type Adapter interface {
	// Habits returns the changes found so far, in a form for Adopt; "" if there are none.
	Habits() string
	// Adopt applies what Habits returned in an earlier process for the same model at the same address. It ignores anything
	// else.
	Adopt(habits string)
}
