import { deflateRawSync } from 'node:zlib'

/** Creates a zip archive with one deflated file. `files` is the file count that it states. */
export function getZip(content: string, files = 1): Buffer {
  const name = Buffer.from('data.csv')
  const data = deflateRawSync(content)
  const localHeader = Buffer.alloc(30)
  localHeader.writeUInt32LE(0x04034b50, 0)
  localHeader.writeUInt16LE(8, 8)
  localHeader.writeUInt16LE(name.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(data.length, 20)
  entry.writeUInt32LE(content.length, 24)
  entry.writeUInt16LE(name.length, 28)
  const endRecord = Buffer.alloc(22)
  endRecord.writeUInt32LE(0x06054b50, 0)
  endRecord.writeUInt16LE(files, 10)
  endRecord.writeUInt32LE(localHeader.length + name.length + data.length, 16)
  return Buffer.concat([localHeader, name, data, entry, name, endRecord])
}
