import ts from 'typescript'

/**
 * Returns a function that writes a type as TypeScript source without references to libraries:
 * `z.infer` of a schema becomes the fields of the schema, with their comments.
 */
export function createTypePrinter(checker: ts.TypeChecker): (type: ts.Type) => string {
  const printType = (type: ts.Type, indent: string): string => {
    if (type.isUnion() && !(type.flags & ts.TypeFlags.Boolean)) return printUnion(type, indent)
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference)
      if (!element) return 'unknown[]'
      return element.isUnion() ? `(${printType(element, indent)})[]` : `${printType(element, indent)}[]`
    }
    const isObject = (type.flags & ts.TypeFlags.Object) !== 0 && !checker.isTupleType(type)
    return isObject ? printObject(type, indent) : checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
  }

  const printUnion = (type: ts.UnionType, indent: string): string => {
    const isBoolean = (member: ts.Type) => (member.flags & ts.TypeFlags.BooleanLiteral) !== 0
    const members = type.types.filter((member) => !isBoolean(member)).map((member) => printType(member, indent))
    const booleans = type.types.filter(isBoolean)
    const [first] = booleans
    if (booleans.length === 2) members.push('boolean')
    else if (first) members.push(checker.typeToString(first))
    return members.join(' | ')
  }

  const printObject = (type: ts.Type, indent: string): string => {
    const innerIndent = `${indent}  `
    const fields = checker.getPropertiesOfType(type).map((field) => {
      const comment = ts.displayPartsToString(field.getDocumentationComment(checker))
      const doc = comment === '' ? '' : `${innerIndent}/** ${comment.replaceAll('\n', `\n${innerIndent} * `)} */\n`
      const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0
      const value = printType(checker.getTypeOfSymbol(field), innerIndent)
      return `${doc}${innerIndent}${/^[a-z]\w*$/i.test(field.name) ? field.name : JSON.stringify(field.name)}${isOptional ? '?' : ''}: ${value};\n`
    })
    const indexSignatures = checker.getIndexInfosOfType(type).map(({ keyType, type: value }) => {
      return `${innerIndent}[key: ${checker.typeToString(keyType)}]: ${printType(value, innerIndent)};\n`
    })
    return `{\n${[...fields, ...indexSignatures].join('')}${indent}}`
  }
  return (type) => printType(type, '')
}
