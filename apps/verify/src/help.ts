export const help = `tocsin-verify: checks alerts and receipts of Tocsin without trusting the server that issued them

  tocsin-verify <bundle.json | ->           one alert, by its proof bundle ("-" reads it from standard input)
  tocsin-verify <alert.json> --url <https://host>
                                            one alert, with the key list of that server
  tocsin-verify <receipt.json>              what was paid, and for which time
  tocsin-verify --from-url <https://host>   the whole log of a server, against the anchors on the chain
  tocsin-verify --from-file <copy>          the same of a copy that --mirror or "tocsin log succeed" has written; needs --rpc

Trust (without all of the first four nothing ends as verified: what is not given is taken from the file or server, and the
output says so. A node that a file names is never contacted)
  --first-signer 0x…      address of the log's first signing key
  --contract 0x…          address of the AlertAnchor contract
  --chain-id N            id of the anchor chain
  --rpc URL               JSON-RPC of a node of the anchor chain
  --payment-rpc URL       the same of the chain that a receipt was paid on

Whole log
  --save-checkpoint FILE  keeps the log's signed checkpoint, when nothing is wrong
  --mirror FILE           keeps a copy of all entries, when nothing is wrong: an operator can rebuild a lost log from it
  --checkpoint FILE       a checkpoint kept from an earlier run, or by somebody else: the log must have grown out of it
  --since-size N          content and signatures before entry N count as checked by an earlier run; their hashes are
                          computed all the same
  --from-block N          block to look for anchors from, for nodes that don't know old states of the chain;
                          the block that made the contract, or one before it

Output
  --json                  one JSON object
  --no-color              no colours; there are none either when NO_COLOR is set or the output is no terminal
  --timeout-seconds N     longest wait for one answer, 1 to 600 (15)
  --help                  this text

Exit codes
  0  verified
  1  failed: something is wrong, and the output names the first thing
  2  the command can't be carried out as given
  3  not anchored yet: nothing is wrong so far, try again later
  4  cannot check now: node or server can't be reached or don't answer sensibly
  5  not verified: consistent, but first signer, contract, chain id or node were not given
  6  time of issue not proven: everything else is right, but the anchor came too late to prove the stated time
`
