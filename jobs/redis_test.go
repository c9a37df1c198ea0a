package jobs_test

import (
	"testing"
	"time"

	"switchyard/jobs"
)

// TestAddresses checks which forms of REDIS_URL are accepted, without connecting.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, valid := range map[string]bool{
		"":                                      false,
		"redis://:p@h:6379/0":                   true,
		"rediss://:p@h:6379/0?skip_verify=true": true,
		"unix:///run/redis.sock":                true,
		"redis://h:26379/0?master_name=main":    true,
		"redis://u:p@h:26379/0?master_name=main&addr=i:26379&sentinel_username=s&sentinel_password=q": true,
		"redis://h:6379?addr=h:6380": true,
		"redis://h:6379/x":           false,
		"http://h":                   false,
		"redis://h:%zz":              false,
	} {
		for _, timeout := range []time.Duration{0, time.Second} {
			r, err := jobs.OpenRedisTimeout(address, timeout)
			if (err == nil) != valid {
				t.Errorf("the address %q gives the error %v, want it accepted: %v", address, err, valid)
			}
			if err == nil {
				_ = r.Close()
			}
		}
	}
}
