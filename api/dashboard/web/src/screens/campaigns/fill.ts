// filled returns a text with {name} and others replaced by values. Any other word in braces, such as {clickid}, stays.
export const filled = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole))
