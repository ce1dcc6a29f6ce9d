export const help = `tocsin-verify: verifies Tocsin alerts and receipts without trusting the server that issued them

  tocsin-verify <bundle.json | ->           verify one alert by its proof bundle ("-" for standard input)
  tocsin-verify <alert.json> --url <https://host>
                                            verify one alert with the key list of that server
  tocsin-verify <receipt.json>              verify the payment and period of a subscription receipt
  tocsin-verify --from-url <https://host>   verify the whole log of a server against the anchors on the chain
  tocsin-verify --from-file <copy>          the same for a file written by --mirror or "tocsin log succeed"; needs --rpc

Trust (the result is "verified" only if the first four are given: missing values are taken from the file or server, and
the output says so. A node named in a file is never contacted)
  --first-signer 0x…      address of the log's first signing key
  --contract 0x…          address of the AlertAnchor contract
  --chain-id N            id of the anchor chain
  --rpc URL               JSON-RPC URL of a node of the anchor chain
  --payment-rpc URL       JSON-RPC URL of a node of the chain that a receipt was paid on

Whole log
  --save-checkpoint FILE  save the log's signed checkpoint if the check finds no problem
  --mirror FILE           save all entries if the check finds no problem; an operator can rebuild a lost log from the file
  --api-key-file FILE     read the entries with this API key (scope "verify") of an account with a plan: the server then
                          sends content that is not public yet, too, and the mirror contains it. Only with --from-url
  --checkpoint FILE       a checkpoint saved by an earlier run or by someone else: the log must extend it
  --since-size N          trust an earlier run for content and signatures before entry N; hashes are still checked
  --from-block N          first block to search for anchors, for nodes without historical state: the block that
                          deployed the contract, or an earlier one

Track record, with --from-url
  --track-record          recompute every verdict from the messages, and all figures; compare them with the site's
  --candles WHERE         compare with an archive of candles: a folder with <venue>/<market>/<day>.json, .csv, .csv.gz
                          or .zip, or a URL with {market}, {day} and {venue}. Default: the candles of the server
  --origin demo           the record of the demo's alerts (default: feed)

Output
  --json                  print one JSON object
  --no-color              no colours (default if NO_COLOR is set or the output is not a terminal)
  --timeout-seconds N     timeout for one response, 1 to 600 (default 15)
  --help                  show this text

Exit codes
  0  verified
  1  failed: the output names the first problem
  2  usage error
  3  not anchored yet: no problem so far, try again later
  4  cannot check now: node or server is unreachable or sent an invalid response
  5  not verified: consistent, but first signer, contract, chain id or node were not given
  6  time of issue not proven: all other checks passed, but the anchor came too late to prove the stated time
  7  time of outcome not proven: all other checks of the log passed, but anchors do not prove when outcomes were logged
`
