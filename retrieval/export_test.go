package retrieval

// Fit is the fitted numbers of the task channel, for the test that fits them.
type Fit struct{ Leans, Asks, Fits float64 }

// Fitted returns the numbers that are used.
func Fitted() Fit { return Fit{fitted.leans, fitted.asks, fitted.fits} }

// SetFit uses other numbers until the next call. No search may run meanwhile.
func SetFit(f Fit) { fitted.leans, fitted.asks, fitted.fits = f.Leans, f.Asks, f.Fits }
