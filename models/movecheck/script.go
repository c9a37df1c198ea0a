package movecheck

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/foreign"
)

// Address returns the address of a link of another tracker, without the scheme. If host is empty, the address begins with a
// slash.
func Address(host, form, id string) string {
	switch form {
	case foreign.FormQuery:
		return host + "/click?key=" + url.QueryEscape(id)
	case foreign.FormPHP:
		return host + "/click.php?key=" + url.QueryEscape(id)
	case foreign.FormGo:
		return host + "/go/" + url.PathEscape(id)
	case foreign.FormCF:
		return host + "/cf/r/" + url.PathEscape(id)
	}
	return host + "/" + url.PathEscape(id)
}

// URL returns the address that the visitor requests, with the visitor's parameters.
func (v *Visitor) URL(address string) string {
	var b strings.Builder
	b.WriteString(address)
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	for _, p := range v.Params {
		b.WriteString(sep + url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value))
		sep = "&"
	}
	return b.String()
}

// ID returns an id for the request of a campaign's visitor.
func (v *Visitor) ID(campaign uuid.UUID, n int, address string) string {
	sum := fnv.New32a()
	_, _ = fmt.Fprint(sum, address, *v) // writing to a hash never fails
	return fmt.Sprintf("%s.%d.%08x", campaign, n+1, sum.Sum32())
}

// ReadID parses an ID.
func ReadID(id string) (campaign uuid.UUID, n int, err error) {
	parts := strings.Split(id, ".")
	if len(parts) != 3 || len(parts[2]) != 8 {
		return campaign, 0, errID
	}
	campaign, known := models.ParseID(parts[0])
	n, err = strconv.Atoi(parts[1])
	if !known || err != nil || n < 1 || n > PerCampaign {
		return campaign, 0, errID
	}
	return campaign, n - 1, nil
}

var errID = models.Invalid("invalid_input", "a line does not name a visitor of this check")

// Head is the beginning of the script.
const Head = `#!/bin/sh
# Check before DNS: asks the old tracker where made-up visitors go. Run it, and upload what it prints:
#
#   sh check.sh > answers.txt
#
# Each line is one request, and the old tracker counts each as a click. curl sends the user agent, the language, the referrer and the
# parameters of each visitor. It cannot fake everything:
#   - The country follows from the address of this machine. Say in Switchyard which country that is. If the old tracker reads the
#     country from a header, name it: COUNTRY_HEADER=CF-IPCountry sh check.sh > answers.txt
#   - Region, city, provider, connection and proxy follow from the address, too. What depends on them is not compared.
#   - The old tracker may recognise curl by how it connects, and may take this machine for a bot or a data centre.
#   - No script of a page is run. An address that a page leads to is not compared.
#
# Settings, written before "sh":
#   OLD_HOST=203.0.113.7          connect to this host, whatever DNS says: to check after DNS was changed, or to bypass a proxy
#   OLD_DOMAIN=track.example.com  the domain of links that have none of their own
#   SCHEME=http                   instead of https
#   PAUSE=1                       seconds between two requests
SCHEME="${SCHEME:-https}"
case "$OLD_HOST" in "" | *:*) ;; *) OLD_HOST="$OLD_HOST:" ;; esac
n=0
ask() {
	id=$1 agent=$2 language=$3 country=$4 url=$5
	shift 5
	case "$url" in /*) url="${OLD_DOMAIN:?Set OLD_DOMAIN to the domain of the links at the old tracker}$url" ;; esac
	told=-
	if [ -n "$COUNTRY_HEADER" ]; then
		told=$country
		set -- "$@" -H "$COUNTRY_HEADER: $country"
	fi
	if [ -n "$OLD_HOST" ]; then set -- "$@" --connect-to "::$OLD_HOST"; fi
	printf '%s %s ' "$id" "$told"
	curl -q -s -o /dev/null --max-time 20 -w '%{http_code} %{redirect_url}\n' -A "$agent" -H "Accept-Language: $language" \
		-H 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' -H 'Accept-Encoding: gzip, deflate, br' "$@" -- "$SCHEME://$url"
	n=$((n + 1))
	printf '\r%s' "$n" >&2
	if [ -n "$PAUSE" ]; then sleep "$PAUSE"; fi
}
echo "# asked $(date +%s)"
`

// Line returns the line of the script that sends a visitor's request. address is the address of the campaign's link, without the
// scheme.
func (v *Visitor) Line(id, address string) string {
	words := []string{"ask", id, quoted(v.Agent.UserAgent), quoted(AcceptLanguage(v.Language)), quoted(v.Country), quoted(v.URL(address))}
	if v.Referrer != "" {
		words = append(words, "-e", quoted(v.Referrer))
	}
	for _, h := range v.Headers {
		words = append(words, "-H", quoted(h.Name+": "+h.Value))
	}
	return strings.Join(words, " ") + "\n"
}

// AcceptLanguage returns the Accept-Language header of a browser in a language.
func AcceptLanguage(language string) string {
	if language == "en" {
		return "en-US,en;q=0.9"
	}
	return language + ",en;q=0.8"
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
