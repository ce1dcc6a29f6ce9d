// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title AlertAnchor
/// @notice Append-only record of the alert log's root hashes. An anchored root proves that the first `size` alerts
/// existed, in that order and with that content, when its block was made.
/// @dev Roots are RFC 6962 Merkle tree hashes with SHA-256. Only growth can be checked here: whether one root extends
/// another is proved off chain by a consistency proof between the two.
contract AlertAnchor is Ownable2Step {
    /*//////////////////////////////////////////////////////////////
                                 EVENTS
    //////////////////////////////////////////////////////////////*/

    /// @param size Number of alerts under the root.
    /// @param root Root hash of the log at that size.
    /// @param blockTime Time of the block, in seconds since 1970.
    event Anchored(uint64 indexed size, bytes32 root, uint64 blockTime);

    /*//////////////////////////////////////////////////////////////
                                 ERRORS
    //////////////////////////////////////////////////////////////*/

    /// @notice The size is not above the latest one.
    error SizeNotGrowing(uint64 latestSize, uint64 size);

    /// @notice A root of zero stands for "never anchored" and can't be anchored itself.
    error RootIsZero();

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @notice Size of the log at the latest anchor, 0 before the first.
    uint64 public latestSize;

    /// @notice Root that was anchored at exactly this size, zero where there was no anchor.
    mapping(uint64 size => bytes32 root) public rootAt;

    constructor(address initialOwner) Ownable(initialOwner) {}

    /*//////////////////////////////////////////////////////////////
                                ANCHORING
    //////////////////////////////////////////////////////////////*/

    /// @notice Records the root of the log at a size above all earlier ones. Nothing recorded can be changed later.
    function anchor(uint64 size, bytes32 root) external onlyOwner {
        if (size <= latestSize) revert SizeNotGrowing(latestSize, size);
        if (root == bytes32(0)) revert RootIsZero();

        latestSize = size;
        rootAt[size] = root;

        emit Anchored(size, root, uint64(block.timestamp));
    }

    /// @notice Root at the latest size, zero before the first anchor.
    function latestRoot() external view returns (bytes32) {
        return rootAt[latestSize];
    }
}
