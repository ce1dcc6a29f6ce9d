// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title ItoToken
/// @notice ERC-20 payment token, for chains without an ITO deployment. The supply is fixed at deployment.
contract ItoToken is ERC20 {
    /// @param holders Recipients of the supply. A holder that is listed twice receives the amount twice.
    /// @param amount Base units (10^-18 ITO) minted to each holder.
    constructor(address[] memory holders, uint256 amount) ERC20("Tocsin ITO", "ITO") {
        for (uint256 i = 0; i < holders.length; ++i) {
            _mint(holders[i], amount);
        }
    }
}
