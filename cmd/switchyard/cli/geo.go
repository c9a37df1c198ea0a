package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"switchyard/api/click/visitor"
)

// geoCmd reports on geo databases.
type geoCmd struct {
	Status geoStatus `cmd:"" help:"List the files with their types and ages."`
}

type geoStatus struct{ jsonFlag }

// geoSetting is a geo file with the name of the setting that points to it.
type geoSetting struct {
	Setting string `json:"setting"`
	visitor.GeoFile
}

// Run implements the command. If a file cannot be read, the command prints the list and then fails.
func (c *geoStatus) Run(_ context.Context, e *env) error {
	cfg, err := e.config()
	if err != nil {
		return err
	}
	list, rows, bad := []geoSetting{}, []string{"SETTING\tTYPE\tBUILT\tAGE\tFILE"}, []string{}
	for _, s := range []struct{ name, path string }{
		{"GEO_CITY_DB", cfg.GeoCityDB}, {"GEO_ASN_DB", cfg.GeoASNDB}, {"GEO_ANONYMOUS_DB", cfg.GeoAnonymousDB},
	} {
		if s.path == "" {
			rows = append(rows, s.name+"\tnot set\t\t\t")
			continue
		}
		f := geoSetting{s.name, visitor.ReadGeoFile(s.path)}
		list = append(list, f)
		if f.Error != "" {
			bad = append(bad, fmt.Sprintf("%s: %s: %s", f.Setting, f.Path, f.Error))
			rows = append(rows, strings.Join([]string{f.Setting, "unreadable", "", "", f.Path}, "\t"))
			continue
		}
		days := int(time.Since(f.Built).Hours() / 24)
		rows = append(rows, strings.Join([]string{
			f.Setting, f.Type, f.Built.Format(time.DateOnly), fmt.Sprintf("%d days", days), f.Path,
		}, "\t"))
	}
	if err := e.print(c.JSON, list, rows...); err != nil {
		return err
	}
	if !c.JSON && len(list) == 0 {
		e.logf("without files only the country is known, from a built-in table: set GEO_CITY_DB and GEO_ASN_DB, see `switchyard config`")
	}
	if len(bad) > 0 {
		return fmt.Errorf("a geo file cannot be used: put a file in MaxMind format at this path: %s", strings.Join(bad, "; "))
	}
	return nil
}
