package openapi

import (
	"switchyard/db"
	"switchyard/models/matchkey"
)

type keyDoc struct{ Name, Doc string }

// keyDocs describes the keys of personal data, in the order of the documentation.
var keyDocs = []keyDoc{
	{matchkey.Email, "e-mail address"},
	{matchkey.Phone, "telephone number, best with a plus and the country's code, such as +442079460958"},
	{matchkey.FirstName, "first name"},
	{matchkey.LastName, "last name"},
	{matchkey.Street, "street and number"},
	{matchkey.City, "city"},
	{matchkey.Region, "state or province; in the United States two letters"},
	{matchkey.Zip, "postal code"},
	{matchkey.Country, "two letters, such as DE"},
}

const (
	consentDoc = "granted or denied: whether the person agrees that the data are used for ads. Personal data are kept only if it is granted. " +
		"If it is denied, the data that are already kept for the click are deleted"
	userDoc = "personal data of the visitor, in clear or as SHA-256 in 64 hexadecimal digits. They are hashed when they arrive, and kept " +
		"for at most seven days"
)

var consentSchema = object{"type": "string", "enum": []string{"granted", "denied"}, "description": consentDoc}

func userSchema() object {
	properties := object{}
	for _, k := range keyDocs {
		properties[k.Name] = object{"type": "string", "description": k.Doc}
	}
	return object{"type": "object", "description": userDoc, "properties": properties}
}

// notKeptSchema describes a list of personal data that are not kept.
func notKeptSchema() object {
	return object{"type": "array", "description": "personal data that are not kept", "items": object{
		"type": "object", "properties": object{"key": object{"type": "string"}, "reason": object{"type": "string"}},
	}}
}

func personalParams() (out []object) {
	for _, k := range keyDocs {
		out = append(out, textParam("query", k.Name, k.Doc+"; see Personal data"))
	}
	return append(out, textParam("query", matchkey.ConsentParam, consentDoc))
}

type keyRow struct {
	Name, Doc string
	Params    []string
}

func keyRows() []keyRow {
	return db.Map(keyDocs, func(k keyDoc) keyRow { return keyRow{k.Name, k.Doc, matchkey.Params(k.Name)} })
}
