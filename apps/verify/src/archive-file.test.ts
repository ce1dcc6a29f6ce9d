import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readArchiveFile } from './archive-file.ts'

const day = '2026-03-02'
const start = Date.parse(`${day}T00:00:00.000Z`) / 1000
const expected = [[start, '1', '3', '0.5', '2.00', '7.5']]
const createCsvLine = (time: string) => `${time},1,3,0.5,2.00,7.5,${time},15.0,9,3.1,6.2,0\n`
const toBytes = (text: string) => Buffer.from(text)

/**
 * Creates a zip archive with one file. Only the central directory contains the compressed size, as
 * in archives that are written as a stream.
 */
function createZip(text: string, method: 0 | 8): Buffer {
  const content = method === 8 ? deflateRawSync(text) : toBytes(text)
  const localHeader = Buffer.alloc(30)
  localHeader.write('PK\x03\x04', 'latin1')
  localHeader.writeUInt16LE(method, 8)
  localHeader.writeUInt16LE(1, 26)
  const entry = Buffer.alloc(46)
  entry.write('PK\x01\x02', 'latin1')
  entry.writeUInt16LE(method, 10)
  entry.writeUInt32LE(content.length, 20)
  return Buffer.concat([localHeader, toBytes('a'), content, entry])
}

describe('readArchiveFile', () => {
  it.each<[string, Buffer, RegExp]>([
    ['a line is of another day', toBytes(createCsvLine(`${start + 86_400}000`)), /outside the window/],
    ['a price is missing', toBytes(`${start}000,1,3`), /not a list of six values/],
    ['a price has an exponent', toBytes(`${start}000,1e0,3,0.5,2,7`), /no open that is a decimal/],
    ['JSON is no list', toBytes('{"candles":{}}'), /not a list/],
    ['bytes are not UTF-8', Buffer.from([0x31, 0xff, 0xfe]), /encoded data was not valid|not valid/],
    ['a zip file has no directory', createZip(createCsvLine(`${start}000`), 8).subarray(0, 40), /no directory/],
  ])('refuses a file when %s', (_, file, reason) => {
    expect(() => readArchiveFile(file, day)).toThrow(reason)
  })

  it.each<[string, Buffer]>([
    ['milliseconds', toBytes(createCsvLine(`${start}000`))],
    ['microseconds', toBytes(createCsvLine(`${start}000000`))],
    [
      'a header and CRLF',
      toBytes(`open_time,open,high,low,close,volume\r\n${createCsvLine(`${start}000`).trim()}\r\n`),
    ],
    ['rows as JSON', toBytes(JSON.stringify(expected))],
    ["the server's answer", toBytes(JSON.stringify({ candles: expected }))],
    ['gzip', gzipSync(createCsvLine(`${start}000`))],
    ['zip', createZip(createCsvLine(`${start}000`), 8)],
    ['zip without compression', createZip(createCsvLine(`${start}000`), 0)],
  ])('reads a day with %s', (_, file) => {
    expect(readArchiveFile(file, day)).toEqual(expected)
  })
})
