// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title ItoToken
/// @notice The ERC-20 that plans are paid with, for chains that do not have it yet. The supply is fixed at deployment.
contract ItoToken is ERC20 {
    /// @param holders Receives of the first supply. A holder named twice receives twice.
    /// @param amount Base units (10^-18 ITO) that each of the holders receives.
    constructor(address[] memory holders, uint256 amount) ERC20("Tocsin ITO", "ITO") {
        for (uint256 i = 0; i < holders.length; ++i) {
            _mint(holders[i], amount);
        }
    }
}
