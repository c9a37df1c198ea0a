package safebrowsing

import (
	"errors"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// threat is a listed address with the names of its threat types.
type threat struct {
	url   string
	kinds []string
}

// threatTypes has the names of ThreatType by number.
var threatTypes = []string{"THREAT_TYPE_UNSPECIFIED", "MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE", "POTENTIALLY_HARMFUL_APPLICATION"}

// statusCodes has the names of google.rpc.Code by number.
var statusCodes = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
	"UNAUTHENTICATED",
}

// nameOf returns the name of a number, or else the number.
func nameOf(names []string, n uint64) string {
	if n < uint64(len(names)) {
		return names[n]
	}
	return strconv.FormatUint(n, 10)
}

var errBinary = errors.New("it is not a protocol buffers message")

// eachField calls fn with each field of a message. fn gets the value of a varint field, and the bytes of a text or of an inner
// message. For a field of another type, fn gets 0 and nil.
func eachField(message []byte, fn func(field protowire.Number, number uint64, inner []byte) error) error {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errBinary
		}
		message = message[n:]
		var number uint64
		var inner []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			inner, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(field, kind, message)
		}
		if n < 0 {
			return errBinary
		}
		message = message[n:]
		if err := fn(field, number, inner); err != nil {
			return err
		}
	}
	return nil
}

// readThreats reads a SearchUrlsResponse: its field 1 has the threats.
func readThreats(body []byte) (out []threat, err error) {
	err = eachField(body, func(field protowire.Number, _ uint64, inner []byte) error {
		if field != 1 {
			return nil
		}
		found, err := readThreat(inner)
		out = append(out, found)
		return err
	})
	return out, err
}

// readThreat reads a ThreatUrl: its field 1 is the address, its field 2 the types, which may be packed.
func readThreat(message []byte) (out threat, err error) {
	err = eachField(message, func(field protowire.Number, number uint64, inner []byte) error {
		switch {
		case field == 1:
			out.url = string(inner)
		case field == 2 && inner == nil:
			out.kinds = append(out.kinds, nameOf(threatTypes, number))
		case field == 2:
			for len(inner) > 0 {
				kind, n := protowire.ConsumeVarint(inner)
				if n < 0 {
					return errBinary
				}
				out.kinds, inner = append(out.kinds, nameOf(threatTypes, kind)), inner[n:]
			}
		}
		return nil
	})
	return out, err
}

// binaryStatus reads a google.rpc.Status in binary form: its field 1 is the code, its field 2 the message. A gateway may answer
// in JSON instead.
func binaryStatus(body []byte) (code, message string) {
	if code, message = jsonStatus(body); code != "" {
		return code, message
	}
	err := eachField(body, func(field protowire.Number, number uint64, inner []byte) error {
		switch field {
		case 1:
			code = nameOf(statusCodes, number)
		case 2:
			message = string(inner)
		}
		return nil
	})
	if err != nil {
		return "", ""
	}
	return code, message
}
