import type { CredentialFieldShown } from '../api.gen.ts'

export type Values = Record<string, string>

// valueOf returns the value of a field. A saved secret is never shown.
export const valueOf = (f: CredentialFieldShown, saved: Values, value: Values) =>
  value[f.name] ?? (f.secret ? '' : (saved[f.name] ?? f.default ?? ''))

// given returns the credentials to send: all values that are not empty and differ from the saved ones.
export const given = (fields: CredentialFieldShown[], saved: Values, value: Values): Values =>
  Object.fromEntries(fields.map(f => [f.name, valueOf(f, saved, value).trim()]).filter(([name, v]) => v && v !== saved[name!])) as Values

// choicesOf returns the values that a person may choose. An empty value comes first, unless the field is required, has a default
// or already has a saved value.
export const choicesOf = (f: CredentialFieldShown, saved: Values) =>
  f.required || f.default || saved[f.name] ? f.values : ['', ...f.values]
