package monitor

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"switchyard/models/apiversion"
)

// APIVersions returns the metric of the days until a provider ends the version of its API that is in use. Versions without an
// announced end are left out. For operators without a monitoring system, it also logs the versions that end soon, and the
// settings with an unknown version.
func APIVersions(used []apiversion.Version, now func() time.Time) prometheus.Collector {
	for _, v := range used {
		left, known := v.Left(now())
		switch {
		case v.EndsSoon(now()):
			slog.Warn("a version of another service's API ends: see ops/runbooks/versions.md",
				"provider", v.Provider, "version", v.Version, "ends", v.Ends, "days_left", int(left/(24*time.Hour)), "setting", v.Setting)
		case !known && v.Checked == "":
			slog.Warn("a setting names a version of an API that this build does not know", "setting", v.Setting, "version", v.Version)
		}
	}
	daysLeft := prometheus.NewDesc("switchyard_api_version_days_left",
		"Days until a provider ends the version of its API that is in use; below 0 after the end.", []string{"provider", "version"}, nil)
	return collector{[]*prometheus.Desc{daysLeft}, func(send sender) {
		for _, v := range used {
			if left, known := v.Left(now()); known {
				send(daysLeft, left.Hours()/24, v.Provider, v.Version)
			}
		}
	}}
}

// APIVersionsCheck returns the readiness check that fails while a version in use ends within 60 days or has ended. The process stays
// ready.
func APIVersionsCheck(used []apiversion.Version, now func() time.Time) Check {
	return Check{
		Name: "api_versions", Optional: true,
		Advice: "a provider ends a version of its API within 60 days; see ops/runbooks/versions.md",
		Run: func(context.Context) error {
			var ends []string
			for _, v := range used {
				if v.EndsSoon(now()) {
					ends = append(ends, v.Provider+" "+v.Version+" ends on "+v.Ends)
				}
			}
			if len(ends) > 0 {
				return errors.New(strings.Join(ends, "; "))
			}
			return nil
		},
	}
}
