package main

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/memtree/memtree/internal/cli/say"
)

// probeWithin is the time limit for a service to report that it is ready.
const probeWithin = 3 * time.Second

// probeService checks whether the service at an address is ready. The health check of a container runs it, because the image
// contains no other program.
func probeService(ctx context.Context, v *say.Voice, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return badAddress(v, listen)
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, stop := context.WithTimeout(ctx, probeWithin)
	defer stop()
	at := net.JoinHostPort(host, port)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/readyz", nil)
	if err != nil {
		return badAddress(v, listen)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request) // no proxy: the service is here
	if err != nil {
		return v.Fail(err, "no service answers at %s: %s", at, err)
	}
	defer answer.Body.Close() //nolint:errcheck // it is not read
	if answer.StatusCode != http.StatusOK {
		return v.Fail(nil, "the service at %s is not ready: %s", at, answer.Status)
	}
	return v.Print(v.Say("The service at %s is ready.", at))
}
