// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title AlertAnchor
/// @notice Append-only record of the alert log's root hashes. An anchored root proves that the first `size` entries
/// existed, in this order and with this content, at the time of the block.
/// @dev Roots are RFC 6962 Merkle tree hashes with SHA-256. The contract checks only that the size grows. That one root
/// extends another is verified off chain with a consistency proof.
contract AlertAnchor is Ownable2Step {
    /*//////////////////////////////////////////////////////////////
                                 EVENTS
    //////////////////////////////////////////////////////////////*/

    /// @param size Number of log entries covered by the root.
    /// @param root Root hash of the log at that size.
    /// @param blockTime Block timestamp in Unix seconds.
    event Anchored(uint64 indexed size, bytes32 root, uint64 blockTime);

    /*//////////////////////////////////////////////////////////////
                                 ERRORS
    //////////////////////////////////////////////////////////////*/

    /// @notice The size is not greater than the latest anchored size.
    error SizeNotGrowing(uint64 latestSize, uint64 size);

    /// @notice The root is zero, which `rootAt` uses for "not anchored".
    error RootIsZero();

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @notice Size of the log at the latest anchor. 0 before the first anchor.
    uint64 public latestSize;

    /// @notice Root anchored at exactly this size. Zero if that size was not anchored.
    mapping(uint64 size => bytes32 root) public rootAt;

    constructor(address initialOwner) Ownable(initialOwner) {}

    /*//////////////////////////////////////////////////////////////
                                ANCHORING
    //////////////////////////////////////////////////////////////*/

    /// @notice Records the root of the log at a size greater than all earlier ones. Records cannot be changed.
    function anchor(uint64 size, bytes32 root) external onlyOwner {
        if (size <= latestSize) revert SizeNotGrowing(latestSize, size);
        if (root == bytes32(0)) revert RootIsZero();

        latestSize = size;
        rootAt[size] = root;

        emit Anchored(size, root, uint64(block.timestamp));
    }

    /// @notice Root at the latest size. Zero before the first anchor.
    function latestRoot() external view returns (bytes32) {
        return rootAt[latestSize];
    }
}
